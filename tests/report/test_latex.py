import re
import shutil
import subprocess
from pathlib import Path

from made_runs import write_run

from bestiary.report import load_study
from bestiary.report.latex import escaped, latex_table
from bestiary.report.study import Study
from bestiary.report.table import COLUMNS

BARE = re.compile(r"(?<!\\)[&]")


def test_every_special_letter_is_set_as_it_stands() -> None:
    assert escaped(r"a_b & 50% #1 $x$ {y} ~^<|>") == (
        r"a\_b \& 50\% \#1 \$x\$ \{y\} \textasciitilde{}\textasciicircum{}"
        r"\textless{}\textbar{}\textgreater{}"
    )
    assert escaped("a\\b") == r"a\textbackslash{}b"
    assert escaped("two\nlines") == "two lines"


def test_every_row_has_every_column_whatever_a_mixer_is_called(tmp_path: Path) -> None:
    write_run(tmp_path, label=r"\input{x} & %_#")
    write_run(tmp_path, mixers="hyena", status="failed")
    text = latex_table(load_study(tmp_path).segments)
    body = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert len(body) == 3
    assert all(len(BARE.findall(line)) == len(COLUMNS) - 1 for line in body)
    assert r"\input{" not in text


def test_the_table_is_one_tabular_with_rules(study: Study) -> None:
    text = latex_table(study.segments)
    lines = [line for line in text.splitlines() if not line.startswith("%")]
    assert lines[0] == r"\begin{tabular}{lrrrrrrrrrrrr}" and lines[-1] == r"\end{tabular}"
    assert [text.count(rule) for rule in (r"\toprule", r"\midrule", r"\bottomrule")] == [1, 2, 1]
    assert text.count("{") == text.count("}")


def test_it_has_commands_of_booktabs_alone_and_compiles_where_there_is_a_latex(
    study: Study, tmp_path: Path
) -> None:
    document = (
        "\\documentclass{article}\\usepackage[T1]{fontenc}\\usepackage{booktabs}\n"
        f"\\begin{{document}}\\small\n{latex_table(study.segments)}\\end{{document}}\n"
    )
    # Every command of the table is one of these; what a compiler would find besides is checked
    # above by counting.
    commands = set(re.findall(r"\\([a-zA-Z]+)", latex_table(study.segments)))
    assert commands <= {"begin", "end", "toprule", "midrule", "bottomrule"}
    if compiler := shutil.which("pdflatex"):
        (tmp_path / "t.tex").write_text(document, encoding="utf-8")
        subprocess.run([compiler, "-halt-on-error", "t.tex"], cwd=tmp_path, check=True, timeout=120)
        assert (tmp_path / "t.pdf").exists()
