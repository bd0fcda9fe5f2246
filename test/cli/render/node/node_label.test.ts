import { expect, test } from 'vitest';
import { labelOf } from '../../../../cli/render/node/node_label.js';
import { speakerOf, titledOf } from '../../../../cli/render/node/node_text.js';
import { logLineText } from '../../../../cli/render/reports/log_entry.js';
import { logNode } from '../../../../hub/base/event_log_line.js';
import type { Node } from '../../../../hub/protocol/node.js';
import { lookAt } from '../../../support/look.js';
import { commandNode } from '../../../support/nodes.js';
import { nodeId } from '../../../support/skeleton.js';

test('a command that a person of another hub has run tells whose it is, what a model has called does not', () => {
  const command: Node = { ...commandNode(2, 'ls', 'a.txt'), by: 'ben · \x1b[31mlaptop' };
  const lines = (node: Node): string[] => [labelOf(titledOf(node), 80, lookAt(80)), speakerOf(node)];
  expect(lines(command)).toEqual(['[bash (ben · laptop):ls]', '[bash (ben · laptop)]']);
  expect(logLineText(logNode(command, null), lookAt(80))).toContain('[bash (ben · laptop):ls]');
  const called = { ...command, step: { id: nodeId(1), index: 1, size: 2 } };
  expect(lines(called)).toEqual(['[bash:ls]', '[bash]']);
});
