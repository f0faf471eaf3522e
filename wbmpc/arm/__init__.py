"""A fixed-base arm: its plants, its controllers and the loop between them.

Whether torques go into a simulator or position offsets onto a servo bus, what is above
`wbmpc.arm.interface.ArmPlant` does not know.
"""
