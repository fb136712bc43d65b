"""One input on its way through the layers of a compiled stack: a page, and a picture for papers.

``trace`` of the compiler has the numbers. ``words`` says what a channel and a layer do, ``lines``
chooses which channels are shown, ``ends`` has what goes in and comes out, ``sheet`` puts them
together as ``step``s, ``page`` and ``picture`` draw it.
"""

from bestiary.report.explain.page import explain_page
from bestiary.report.explain.picture import explain_picture
from bestiary.report.explain.sheet import sheet_of
from bestiary.report.explain.step import Sheet

__all__ = ["Sheet", "explain_page", "explain_picture", "sheet_of"]
