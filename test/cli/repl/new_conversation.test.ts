import { expect, test } from 'vitest';
import { after, withTalk } from './talk.js';

const ANSWER = /I cannot answer that/;

test('the model that a chat was begun with answers in each of its new conversations', () =>
  withTalk(async ({ notes }) => {
    const { stdout } = await notes(['hello', '/new', 'hello again', '/quit'], '--model', 'demo');
    expect(after(stdout, 'hello')).toMatch(ANSWER);
    expect(after(stdout, 'hello again')).toMatch(ANSWER);
  }));

test('the model that was chosen last answers in a new conversation', () =>
  withTalk(async ({ notes }) => {
    const { stdout } = await notes(['/model demo', 'hello', '/new', 'hello again', '/quit']);
    expect(after(stdout, 'hello again')).toMatch(ANSWER);
  }));
