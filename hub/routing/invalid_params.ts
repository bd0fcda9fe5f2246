import type { z } from 'zod';
import { HubError } from '../base/error.js';
import { nearest } from '../base/nearest_word.js';

/** Turns what a schema found into one line a person can act on. It never repeats a value: that may be a secret. */
export function invalidParams(error: z.ZodError, schema: z.ZodType): HubError {
  const [first] = error.issues;
  if (first === undefined) return new HubError('invalid_params', 'the parameters are wrong', { cause: error });
  const issue = innermost(first, []);
  const place = issue.path.map(String).join('.');
  const message = place === '' ? issue.problem : `${place}: ${issue.problem}`;
  const hint = hintFor(first, schema);
  return new HubError('invalid_params', message, hint === null ? { cause: error } : { cause: error, hint });
}

interface Problem {
  path: PropertyKey[];
  problem: string;
}

// A union reports what each of its members found; the member that got furthest is the one that was meant.
function innermost(issue: z.core.$ZodIssue, above: PropertyKey[]): Problem {
  const path = [...above, ...issue.path];
  if (issue.code === 'invalid_union') {
    const members = issue.errors.flatMap((issues) => issues.slice(0, 1).map((one) => innermost(one, path)));
    const deepest = members.toSorted((a, b) => b.path.length - a.path.length)[0];
    if (deepest !== undefined && deepest.path.length > path.length) return deepest;
  }
  if (issue.code === 'unrecognized_keys') {
    return { path, problem: `there is no field ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}` };
  }
  return { path, problem: sizeProblem(issue) ?? plain(issue.message) };
}

// The library's own words for a text of a wrong length; a schema's words win.
function sizeProblem(issue: z.core.$ZodIssue): string | null {
  if (!/^Too (small|big): /.test(issue.message)) return null;
  if (issue.code === 'too_small' && issue.origin === 'string' && issue.minimum === 1) return 'cannot be empty';
  if (issue.code === 'too_big' && issue.origin === 'string') return `has more than ${issue.maximum} characters`;
  return null;
}

function plain(message: string): string {
  const text = message.replace(/^Invalid input: /, '').replace(/^Invalid input$/, 'has a wrong form');
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function hintFor(issue: z.core.$ZodIssue, schema: z.ZodType): string | null {
  if (issue.code !== 'unrecognized_keys' || issue.path.length > 0 || !('shape' in schema)) return null;
  const known = Object.keys(Object(schema.shape));
  const near = nearest(issue.keys[0] ?? '', known);
  if (near !== null) return `did you mean ${near}?`;
  return known.length === 0 ? 'this method takes no parameters' : `known fields: ${known.join(', ')}`;
}
