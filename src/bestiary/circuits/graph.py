"""Circuits as graphs of networkx (extra ``graph``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bestiary.circuits.circuit import Circuit
from bestiary.circuits.gates import Operation
from bestiary.imports import load_extra

if TYPE_CHECKING:
    import networkx as nx


def to_networkx(circuit: Circuit) -> nx.MultiDiGraph[int]:
    """The graph of a circuit: a node for each gate, an edge from each operand to its gate.

    Nodes have ``operation`` ("input", "constant", "add", "subtract" or "multiply"), ``name`` (of
    the input scalar, or what a person called the gate; else ""), ``value`` where they are
    constants, and ``outputs``, the names of the output scalars that they are. Edges have
    ``operand``, 0 for the left one and 1 for the right one; x * x has both from x. ``UserError``
    without networkx.
    """
    networkx = load_extra("networkx", "graph", "graphs of circuits need")
    graph = networkx.MultiDiGraph(name=circuit.name)
    inputs = circuit.input_names
    triples = zip(
        circuit.operations.tolist(), circuit.left.tolist(), circuit.right.tolist(), strict=True
    )
    for gate, (kind, left, right) in enumerate(triples):
        known: dict[str, Any] = {"name": circuit.names.get(gate, ""), "outputs": []}
        if kind == Operation.INPUT:
            known["name"] = inputs[left]
        elif kind == Operation.CONSTANT:
            known["value"] = circuit.constants[left]
        graph.add_node(gate, operation=Operation(kind).name.lower(), **known)
        if kind >= Operation.ADD:
            graph.add_edge(left, gate, operand=0)
            graph.add_edge(right, gate, operand=1)
    for gate, name in zip(circuit.results.tolist(), circuit.output_names, strict=True):
        graph.nodes[gate]["outputs"].append(name)
    return graph
