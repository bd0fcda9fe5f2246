// Searches the web. Usage: node search.mjs --query "words" [--max-results 5] [--server <address>]
import { parseArgs } from 'node:util';

const USUAL_SERVER = 'https://html.duckduckgo.com/html/';
const RESULTS_USUAL = 5;
const RESULTS_MAX = 20;
const WAIT_MS_MAX = 20_000;
const BODY_BYTES_MAX = 4 * 1024 * 1024;
const EXCERPT_LENGTH_MAX = 300;

class WrongUse extends Error {}

function options() {
  const text = { type: 'string' };
  const { values } = parse({ query: text, 'max-results': text, server: text });
  const query = values.query?.trim() ?? '';
  if (query === '') throw new WrongUse('--query is missing: say what to look for');
  const most = Number(values['max-results'] ?? RESULTS_USUAL);
  if (!Number.isInteger(most) || most < 1 || most > RESULTS_MAX) {
    throw new WrongUse(`--max-results takes a whole number from 1 to ${RESULTS_MAX}, not ${values['max-results']}`);
  }
  const server = values.server ?? USUAL_SERVER;
  if (!/^https?:$/.test(URL.canParse(server) ? new URL(server).protocol : '')) {
    throw new WrongUse(`--server takes an address that begins with http:// or https://, not ${server}`);
  }
  return { query, most, server };
}

function parse(known) {
  try {
    return parseArgs({ options: known, strict: true });
  } catch (error) {
    throw new WrongUse(error.message);
  }
}

async function search({ query, server }) {
  const address = new URL(server);
  address.searchParams.set('q', query);
  if (server !== USUAL_SERVER) address.searchParams.set('format', 'json');
  const response = await ask(address);
  if (!response.ok) throw new Error(`${address.host} answered ${response.status} ${response.statusText}`);
  const body = await bodyOf(response);
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return isJson ? fromJson(body) : fromPage(body);
}

async function ask(address) {
  try {
    return await fetch(address, {
      headers: { accept: 'application/json, text/html', 'user-agent': 'web-search (a command-line skill)' },
      signal: AbortSignal.timeout(WAIT_MS_MAX),
    });
  } catch (error) {
    const reason = error.cause?.code ?? error.cause?.message ?? error.name;
    throw new Error(`${address.host} cannot be reached (${reason}); is the network on?`, { cause: error });
  }
}

/** No server is trusted to be brief. */
async function bodyOf(response) {
  const parts = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    parts.push(part);
    bytes += part.length;
    if (bytes > BODY_BYTES_MAX) break;
  }
  return Buffer.concat(parts).toString('utf8');
}

function fromJson(body) {
  const { results } = JSON.parse(body);
  if (!Array.isArray(results)) throw new Error('the server sent no list of results');
  return results.map(({ title, url, content }) => ({ title: plain(title), url: String(url), excerpt: plain(content) }));
}

function fromPage(body) {
  const links = [...body.matchAll(/<a\b[^>]*class="result__a"[^>]*>([\s\S]*?)<\/a>/g)];
  return links.map(({ 0: link, 1: title, index }, at) => {
    const rest = body.slice(index + link.length, links[at + 1]?.index);
    const excerpt = /class="result__snippet"[^>]*>([\s\S]*?)<\/(?:a|div|td)>/.exec(rest)?.[1];
    return { title: plain(title), url: target(/href="([^"]*)"/.exec(link)?.[1] ?? ''), excerpt: plain(excerpt) };
  });
}

/** The page links to itself, with the true address as a parameter. */
function target(href) {
  const address = new URL(plain(href), USUAL_SERVER);
  return address.searchParams.get('uddg') ?? address.href;
}

const ENTITIES = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/** One line of text without tags, entities and control characters. */
function plain(html) {
  return String(html ?? '')
    .replace(/<[^>]*>/g, '')
    .replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|\w+);/gi, (whole, name) => character(name) ?? whole)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
}

/** What an entity stands for; null for one that is not known. */
function character(name) {
  if (!name.startsWith('#')) return ENTITIES[name] ?? null;
  const code = Number(name.slice(1).replace(/^x/i, '0x'));
  return code <= 0x10ffff ? String.fromCodePoint(code) : null;
}

function shown({ title, url, excerpt }, at) {
  const cut = excerpt.length > EXCERPT_LENGTH_MAX ? `${excerpt.slice(0, EXCERPT_LENGTH_MAX).trimEnd()}…` : excerpt;
  return [`${at + 1}. ${title}`, `   ${plain(url)}`, ...(cut === '' ? [] : [`   ${cut}`])].join('\n');
}

try {
  const wanted = options();
  const found = (await search(wanted)).slice(0, wanted.most);
  console.log(found.length === 0 ? `No results for: ${wanted.query}` : found.map(shown).join('\n\n'));
} catch (error) {
  console.error(`web-search: ${error.message}`);
  process.exitCode = error instanceof WrongUse ? 2 : 1;
}
