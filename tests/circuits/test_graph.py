"""Circuits as graphs of networkx: following the graph gives what the circuit gives."""

from __future__ import annotations

import operator
import sys

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_circuits import inputs_of, random_circuits

from bestiary.circuits import circuit, to_networkx
from bestiary.errors import UserError

COMBINE = {"add": operator.add, "subtract": operator.sub, "multiply": operator.mul}


@given(st.data())
def test_the_graph_computes_what_the_circuit_does(data):
    made = data.draw(random_circuits())
    values = data.draw(inputs_of(made.circuit))
    graph = to_networkx(made.circuit)
    assert nx.is_directed_acyclic_graph(graph)
    given = dict(zip(made.circuit.input_names, values, strict=True))
    done, found = {}, {}
    for node in nx.topological_sort(graph):
        about = graph.nodes[node]
        operands = {d["operand"]: done[a] for a, _, d in graph.in_edges(node, data=True)}
        if about["operation"] == "input":
            done[node] = given[about["name"]]
        elif about["operation"] == "constant":
            done[node] = about["value"]
        else:
            done[node] = COMBINE[about["operation"]](operands[0], operands[1])
        found |= dict.fromkeys(about["outputs"], done[node])
    expected = dict(zip(made.circuit.output_names, made.expected(values), strict=True))
    assert found == expected


def test_a_square_has_two_edges_and_the_graph_a_name():
    @circuit
    def f(x):
        return x * x

    graph = to_networkx(f)
    assert graph.name == "f"
    assert sorted(d["operand"] for *_, d in graph.edges(data=True)) == [0, 1]


def test_without_networkx_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(UserError, match=r"need the graph extra: pip install 'bestiary\[graph\]'$"):
        to_networkx(circuit(lambda x: x))
