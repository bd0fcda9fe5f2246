import type { NodeId } from '../../protocol/node.js';
import type { ExchangeEvent } from '../../protocol/outside_agent.js';
import type { RunningTurn } from './running_turn.js';

/** Tells the followers of a turn what happens in an exchange with an outside agent. */
export function createTranslation(
  /** The running one: a turn that waited for a person runs as another. */
  running: () => RunningTurn,
  newNodeId: () => NodeId,
  hear: (event: ExchangeEvent) => void,
): (event: object) => void {
  // Its calls become no nodes of their own: these ids only tell them apart.
  const calls = new Map<string, NodeId>();
  const idOf = (call: string): NodeId => {
    const id = calls.get(call) ?? newNodeId();
    calls.set(call, id);
    return id;
  };

  function translate(event: ExchangeEvent): void {
    const turn = running();
    switch (event.kind) {
      case 'text':
        turn.emit({ kind: 'text_added', turn: turn.id, text: event.text });
        break;
      case 'thinking':
        turn.emit({ kind: 'thinking_added', turn: turn.id, text: event.text });
        break;
      case 'call_started': {
        const { call, tool, input } = event;
        turn.emit({ kind: 'call_started', turn: turn.id, call, id: idOf(call), tool, input });
        break;
      }
      case 'call_ended': {
        const { call, text, failed } = event;
        const blocks = [{ type: 'text' as const, text }];
        turn.emit({ kind: 'call_ended', turn: turn.id, call, id: idOf(call), failed, blocks });
        break;
      }
      case 'noted':
        turn.emit({ kind: 'project_noted', turn: turn.id, lines: [event.text] });
        break;
      case 'opened':
      case 'asked':
      case 'used':
      case 'ended':
        break;
    }
  }

  return (event) => {
    if (!isExchangeEvent(event)) return;
    hear(event);
    translate(event);
  };
}

/** The tools have made it by its schema. */
function isExchangeEvent(event: object): event is ExchangeEvent {
  return 'kind' in event;
}
