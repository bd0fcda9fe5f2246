import { HubError } from '../../hub/base/error.js';

const LANES_MAX = 16;
const LANE = /^(.+?)(?:[×*](\d{1,2}))?$/u;

/** The models of a race, one for each lane: `sonnet×2,gpt` makes three. */
export function lanesIn(text: string): string[] {
  const lanes = text.split(',').flatMap((part) => {
    const [, model = '', times = '1'] = LANE.exec(part.trim()) ?? [];
    return model === '' ? [] : Array.from({ length: Number(times) }, () => model);
  });
  if (lanes.length > 0 && lanes.length <= LANES_MAX) return lanes;
  throw new HubError('invalid_params', `--with takes 1 to ${LANES_MAX} lanes, not ${JSON.stringify(text)}`, {
    hint: 'such as --with sonnet×2,gpt',
  });
}
