// Messages of the operator, in WebXR axes: x right, y up, z backward; metres, xyzw.

export const VERSION = 1;

const NO_POSE = { p: [0, 0, 0], q: [0, 0, 0, 1], valid: false };

/** A WebXR pose as it is sent. "Emulated" positions are good poses of many devices. */
export function poseOf(xrPose) {
  if (!xrPose) return NO_POSE;
  const { position: p, orientation: q } = xrPose.transform;
  return { p: [p.x, p.y, p.z], q: [q.x, q.y, q.z, q.w], valid: true };
}

/**
 * A tracked controller. In the "xr-standard" mapping the thumbstick is axes 2 and 3,
 * the trigger button 0, the grip 1, the stick 3, and the two face buttons 4 and 5.
 */
export function handOf(gamepad, xrPose) {
  const value = (i) => gamepad.buttons[i]?.value ?? 0;
  const pressed = (i) => gamepad.buttons[i]?.pressed ?? false;
  return {
    grip: poseOf(xrPose),
    axes: [gamepad.axes[2] ?? 0, gamepad.axes[3] ?? 0],
    trigger: value(0),
    squeeze: value(1),
    stick: pressed(3),
    buttons: [pressed(4), pressed(5)],
  };
}

/** One frame of the operator; `t` is the frame's time on this device's clock [s]. */
export function poseMessage({ seq, t, visibility, space = 0, head, left, right }) {
  return { type: "pose", seq, t, visibility, space, head, left, right };
}
