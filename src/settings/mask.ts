import type { SettingRow } from './rows.ts';

/** A value as it may be shown to anybody who can read the terminal or the log. */
export function toShownValue(row: SettingRow, value: unknown): string {
  if (value === undefined) return '(not set)';
  if (row.secret === 'value')
    return Array.isArray(value) ? `(hidden, ${value.length})` : '(hidden)';
  if (Array.isArray(value)) return value.join(', ');
  return row.secret === 'password' ? maskCredentials(String(value)) : String(value);
}

/** A refused value as it may be shown: shortened, on one line, and nothing of what may be a secret. */
export function toShownRefusal(row: SettingRow, value: unknown): string {
  if (row.secret !== undefined) return '(hidden)';
  const shown = maskCredentials(JSON.stringify(value) ?? String(value));
  return shown.length > 100 ? `${shown.slice(0, 100)}…` : shown;
}

/** An address without its credentials; its query goes too, because drivers read passwords from it. */
function maskCredentials(address: string): string {
  return address
    .replace(/\/\/.*@/s, '//(hidden)@')
    .replace(/^([a-z]+:\/\/[^?]*)\?.*$/s, '$1?(hidden)');
}
