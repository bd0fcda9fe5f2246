/** Where the key of this page stands: it goes with its tab, and to no disk. */
const KEY = 'key';

export type Entered = { key: string } | { problem: string };

const PROBLEMS: Readonly<Record<string, string>> = {
  late: 'This link was not used within two minutes. Press Enter where `cognition web` runs, or start it again, for another.',
  twice:
    'This link was used before, so the page that it opened is closed now: somebody else may have seen it. Take a new link where `cognition web` runs.',
  unknown: 'This link is of another `cognition web`, which may have ended. Start it again for a new one.',
};
export const ENDED =
  'The link of this page was used a second time, so the page is closed: somebody else may have seen it. Take a new link where `cognition web` runs.';
const NO_LINK = 'This page needs the link that `cognition web` prints.';
const NO_SERVER = '`cognition web` does not answer: it has ended. Start it again for a new link.';

/** Trades the code of the link for a key, once, and takes it out of the address; later the key of this tab is used. */
export async function enterPage(): Promise<Entered> {
  const said = new URLSearchParams(location.hash.slice(1));
  const code = said.get('k');
  if (code === null) {
    const key = sessionStorage.getItem(KEY);
    return key === null ? { problem: NO_LINK } : { key };
  }
  said.delete('k');
  history.replaceState(null, '', said.size === 0 ? '/' : `/#${said}`);
  const answer = await post('/enter', { code });
  if (answer === null) return { problem: NO_SERVER };
  const { key, reason } = await answer.json();
  if (!answer.ok) return { problem: PROBLEMS[reason] ?? NO_LINK };
  sessionStorage.setItem(KEY, key);
  return { key };
}

/** Whether the session of a key is still open; null where nobody answers. */
export async function isSessionOpen(key: string): Promise<boolean | null> {
  const answer = await post('/session', { key });
  return answer === null ? null : answer.ok;
}

async function post(path: string, body: object): Promise<Response | null> {
  const headers = { 'content-type': 'application/json' };
  // Nobody listens there any more.
  return fetch(path, { method: 'POST', headers, body: JSON.stringify(body) }).catch(() => null);
}
