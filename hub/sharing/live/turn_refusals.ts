import { HubError } from '../../base/error.js';
import type { TurnElsewhere } from '../../protocol/methods/live_methods.js';

export function mayOnlyRead(name: string): HubError {
  return new HubError('unauthorised', `you may only read at ${name}`, {
    hint: 'who owns it can make you a writer: GRANT cognition_writer TO …',
  });
}

export function unanswered(name: string): HubError {
  return new HubError('network', `the hub that has the turn does not answer over ${name}`, {
    hint: 'what was said is done when it is back, if the turn goes on there',
  });
}

export function outOfReach(name: string): HubError {
  return new HubError('network', `${name} cannot be reached, and with it the hub that has the turn`, {
    hint: 'nothing was said; say it again when it is back',
  });
}

export function isOver({ by, state, seen_at_ms: seenMs }: TurnElsewhere): HubError {
  if (state === 'ended') return new HubError('not_found', 'the turn has ended');
  const seen = new Date(seenMs ?? 0).toISOString();
  return new HubError('not_found', `${by}'s hub, which has the turn, was last heard of at ${seen}`, {
    hint: 'go on from its last step, in a branch or where it stands',
  });
}
