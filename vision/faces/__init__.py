"""Faces: cut out, matched with the roster, side, owner and pose of the art."""
