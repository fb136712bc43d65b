"""Files of circuits: our own text and JSON, Bristol's boolean and libsnark's arithmetic ones."""
