import { Refusal } from '../refusal.ts';

/** Text of the given length. @throws Refusal 400 for anything else. */
export function parseText(value: unknown, name: string, { min = 1, max = 128 } = {}): string {
  if (typeof value !== 'string') throw new Refusal('bad-request', `${name} should be string`);
  const { length } = value.trim();
  if (length < min || length > max) {
    throw new Refusal('bad-request', `${name} should have ${min} to ${max} characters`);
  }
  return value;
}

/** A whole number from 0. @throws Refusal 400 for anything else. */
export function parseCount(value: unknown, name: string): number {
  if (Number.isSafeInteger(value) && Number(value) >= 0) return Number(value);
  throw new Refusal('bad-request', `${name} should be a whole number`);
}
