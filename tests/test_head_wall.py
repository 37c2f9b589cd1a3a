"""Small maps in rows, and pictures side by side."""

import re
import xml.etree.ElementTree as ET

import numpy as np

from helpers.pictures.head_wall import Small, beside, head_wall
from helpers.pictures.text import INK

MAP = np.full((3, 3), 1 / 3)


def picture(wide, high):
    return f'<svg viewBox="0 0 {wide} {high}" width="100%"></svg>'


def test_pictures_stand_side_by_side_in_the_height_of_the_highest():
    root = ET.fromstring(beside(picture(30, 50), picture(20, 70)))
    assert root.get("viewBox") == "0 0 50 70"
    placed = [(one.get("x"), one.get("width")) for one in root]
    assert placed == [("0", "30"), ("30", "20")]


def test_the_picked_map_is_framed_in_ink():
    def frames(picked):
        small = Small(MAP, "1-2", picked=picked)
        svg = head_wall([small, Small(MAP, "1-3")], 2, "t", "m", "said")
        return len(re.findall(f'stroke="{re.escape(INK)}"', svg))

    assert frames(True) == frames(False) + 1
