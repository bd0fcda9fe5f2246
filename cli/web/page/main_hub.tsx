import { render } from 'preact';
import { ENDED, enterPage, isSessionOpen } from './enter.js';
import { App } from './parts/app.js';
import { Choose } from './parts/choose.js';
import { openHubSocket } from './source/hub_socket.js';
import { hubSource, listTrees, type PageStart } from './source/hub_source.js';
import { begin } from './state/begin.js';

const WORDS = {
  ended: ENDED,
  noProcess: '`cognition web` has ended. Start it again for a new link.',
  noHub: 'The hub is away. The page goes on when it is back: any command of cognition starts it.',
};

// The page of a hub: it enters with the code of its link, and reads through the process that served it.
const box = document.getElementById('app');
if (box !== null) {
  open(box).catch((error: unknown) =>
    tell(box, `It could not be opened: ${error instanceof Error ? error.message : error}`),
  );
}

async function open(at: HTMLElement): Promise<void> {
  const entered = await enterPage();
  if ('problem' in entered) {
    tell(at, entered.problem);
    return;
  }
  const { key } = entered;
  const hub = openHubSocket({
    open: () => new WebSocket(`ws://${location.host}/hub`, ['cognition.v1', `key.${key}`]),
    isSessionOpen: () => isSessionOpen(key),
    words: WORDS,
  });
  hub.onAway((reason) => {
    if (reason !== null) tell(at, reason);
  });
  const start = await hub.ask<PageStart>('page.start', {});
  const tree = new URLSearchParams(location.hash.slice(1)).get('tree');
  if (tree === null) {
    render(<Choose trees={await listTrees(hub, start.project)} project={start.project} open={goTo} />, at);
  } else {
    render(<App />, at);
    const source = await hubSource({ hub, start, go, reload: () => location.reload() }, tree);
    document.title = `${source.name} – cognition`;
    await begin(source);
  }
  at.setAttribute('data-ready', '');
}

function goTo(tree: string): void {
  go(`tree=${tree}`);
}

function go(hash: string): void {
  location.hash = hash;
  location.reload();
}

function tell(at: HTMLElement, words: string): void {
  render(
    <main class="loading">
      <p role="alert">{words}</p>
    </main>,
    at,
  );
}
