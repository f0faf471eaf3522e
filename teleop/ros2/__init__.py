"""References on the wires of ROS 2 without ROS 2: Cyclone DDS and Zenoh (extra `ros2`).

Both carry the bytes of `teleop.wire`, under the names ROS 2 uses. Checked: loopback,
and byte for byte against another implementation of the messages. Not tried: a real node
of ROS 2.
"""
