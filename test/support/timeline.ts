import { expect } from 'vitest';
import type { OpsJson } from '../../src/ops/schemas/schemas.ts';
import type { TestBridge } from './bridge.ts';

/** Reads a line of time below `/ops`. */
export async function readTimeline(bridge: TestBridge, path: string): Promise<OpsJson<'Timeline'>> {
  const { status, text } = await bridge.ops('GET', path);
  expect(status).toBe(200);
  return JSON.parse(text) as OpsJson<'Timeline'>;
}

/** Source and text of each, with the others in brackets. */
export function toLines({ items }: OpsJson<'Timeline'>): string[] {
  return items.map(({ source, text, others }) => {
    const names = others.map(({ name }) => name).join(', ');
    return `${source}: ${text}${names === '' ? '' : ` [${names}]`}`;
  });
}

/** Waits until operators' decisions, which are kept behind the answers, are told. */
export async function untilTold(bridge: TestBridge, id: string, text: string): Promise<string[]> {
  const read = async () => toLines(await readTimeline(bridge, `/timeline/${id}`));
  await expect.poll(read).toContainEqual(text);
  return read();
}
