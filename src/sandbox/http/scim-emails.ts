import { Refusal } from '../refusal.ts';
import type { SandboxShape } from '../shape.ts';
import { isObject } from './exchange.ts';

/**
 * The one address that the service takes from `emails`: the primary one, or else the first.
 * @throws Refusal 400 when there is none or an entry has a form that the shape does not accept.
 */
export function parseEmails(value: unknown, { emailsAccepted }: SandboxShape): string {
  if (!Array.isArray(value) || value.length === 0) {
    throw new Refusal('bad-request', "User should have required property '.emails'");
  }
  const entries = value.map((entry) => parseEntry(entry, emailsAccepted));
  const chosen = entries.find(({ primary }) => primary) ?? entries[0];
  return chosen?.address ?? '';
}

function parseEntry(
  entry: unknown,
  accepted: SandboxShape['emailsAccepted'],
): { address: string; primary: boolean } {
  if (typeof entry === 'string' && accepted !== 'objects') {
    return { address: entry, primary: false };
  }
  if (isObject(entry) && typeof entry.value === 'string' && accepted !== 'strings') {
    return { address: entry.value, primary: entry.primary === true };
  }
  throw new Refusal('bad-request', 'an entry of emails has the wrong form');
}
