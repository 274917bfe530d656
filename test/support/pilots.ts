import { expect } from 'vitest';
import type { JsonObject } from '../../src/domain/values.ts';
import type { TestBridge } from './bridge.ts';

/** Creates the Pilots with nobody in it, and people who are in no group. @returns the SCIM id of the group */
export async function addPilots(bridge: TestBridge, people: number): Promise<string> {
  await bridge.addUsers(people);
  return bridge.settled(bridge.addGroup('Pilots'));
}

/** E-mail address of the person at this place, from 0. */
export function emailOf(index: number): string {
  return `person${index + 1}@example.com`;
}

/** Has somebody put these people into the Pilots, or into another group, behind the provider's back. */
export function intrude({ sandbox }: TestBridge, from: number, to: number, group = 'Pilots'): void {
  for (let index = from; index < to; index += 1) sandbox.service.link(group, emailOf(index));
}

/** Counts the Pilots that the service holds, or the members of another group. */
export function countMembers({ sandbox }: TestBridge, group = 'Pilots'): number {
  return sandbox.service.members(group).length;
}

/** Lists the plans that wait for an operator. */
export async function listHeld(bridge: TestBridge): Promise<{ id: string; hash: string }[]> {
  const { body } = await bridge.ops('GET', '/plans?status=held');
  const items: unknown[] = Array.isArray(body.items) ? body.items : [];
  return items.map((item) => ({ id: String(Object(item).id), hash: String(Object(item).hash) }));
}

/** Reads a plan as operators see it. */
export async function readPlan(bridge: TestBridge, id: unknown): Promise<JsonObject> {
  return (await bridge.ops('GET', `/plans/${String(id)}`)).body;
}

/** Decides about a plan, as it was seen. */
export function decide(
  bridge: TestBridge,
  { id, hash }: JsonObject,
  how: 'approve' | 'discard' | 'undo',
) {
  const body = how === 'approve' ? { hash: hash ?? '' } : {};
  return bridge.ops('POST', `/plans/${String(id)}/${how}`, body);
}

/** Waits until a plan is applied and nothing is left to do. */
export async function untilApplied(bridge: TestBridge, id: unknown): Promise<JsonObject> {
  const status = async () => (await readPlan(bridge, id)).status;
  await expect.poll(status).toBe('applied');
  await bridge.untilSettled();
  return readPlan(bridge, id);
}
