import { HubError } from '../base/error.js';
import { boundBroken, type JsonBounds } from '../base/json/json_bounds.js';
import { JSON_COMMAS_MAX, JSON_CONTAINERS_MAX, JSON_DEPTH_MAX } from '../protocol/limits.js';

const FRAME_BOUNDS: JsonBounds = {
  levels: JSON_DEPTH_MAX,
  containers: JSON_CONTAINERS_MAX,
  commas: JSON_COMMAS_MAX,
};

/** Why a frame is refused unparsed; null when it may be parsed. The error cannot name the call, so clients check before sending. */
export function refusedFrame(frame: Buffer): HubError | null {
  const broken = boundBroken(frame, FRAME_BOUNDS);
  if (broken === null) return null;
  const most = FRAME_BOUNDS[broken];
  if (broken === 'levels') {
    return new HubError('invalid_request', `the message is nested more than ${most} levels deep`, {
      hint: 'send deeply nested data as text',
    });
  }
  const what = broken === 'commas' ? 'commas between its values' : 'lists and objects';
  return new HubError('limit', `the message has more than ${most} ${what}`, {
    hint: 'send it in parts, or large data as text or as an output',
  });
}
