import { createTurns } from '../../domain/turns.ts';

/** Items of one part of the answer. */
const PART = 200;

/** An answer whose items are written piece by piece, behind its other members. */
export function toItemsAnswer(head: object, items: readonly object[]) {
  return { status: 200, parts: toParts(head, items), acts: [] } as const;
}

async function* toParts(head: object, items: readonly object[]): AsyncGenerator<string> {
  yield `${JSON.stringify(head).slice(0, -1)},"items":[`;
  const turns = createTurns();
  for (let at = 0; at < items.length; at += PART) {
    const text = items.slice(at, at + PART).map((item) => JSON.stringify(item));
    yield `${at === 0 ? '' : ','}${text.join(',')}`;
    const pause = turns();
    if (pause) await pause;
  }
  yield ']}';
}
