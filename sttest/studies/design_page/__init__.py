"""One HTML page of one design: when its processes ran and waited, what its FIFOs held, where they are on the chip.

``subject`` reads a design, ``grouping`` makes a tree of its processes, ``timelines`` and ``facts`` cut what its run was
to what a page can hold, ``floorplan`` places it on the chip, ``page`` writes the file; the scripts under ``templates``
draw.
"""

from sttest.studies.design_page.page import DesignPage, write_page
from sttest.studies.design_page.subject import Subject

__all__ = ["DesignPage", "Subject", "write_page"]
