"""Say which structure a dense matrix has, and give it in that form."""

from bestiary.structured.recognition.candidate import Candidate
from bestiary.structured.recognition.recognise import Recognition, recognise

__all__ = ["Candidate", "Recognition", "recognise"]
