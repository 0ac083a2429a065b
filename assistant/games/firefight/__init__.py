"""Firefight, the one-page skirmish. The catalogue's numbers (FF-n) name its rules everywhere."""
