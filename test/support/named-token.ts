import { expect } from 'vitest';
import type { TestBridge } from './bridge.ts';

/** Makes a token below `/ops`. */
export async function makeToken(bridge: TestBridge, wish: { [name: string]: string }) {
  const { status, body } = await bridge.ops('POST', '/tokens', wish);
  expect(status).toBe(201);
  return { id: String(body.id), text: String(body.token) };
}

/** Asks for users with this token. */
export async function askWith(bridge: TestBridge, text: string) {
  return bridge.request('GET', '/Users', undefined, { authorization: `Bearer ${text}` });
}
