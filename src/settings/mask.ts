import type { SettingRow } from './rows.ts';

/** A value as it may be shown to anybody who can read the terminal or the log. */
export function toShownValue(row: SettingRow, value: unknown): string {
  if (value === undefined) return '(not set)';
  if (row.secret === 'value')
    return Array.isArray(value) ? `(hidden, ${value.length})` : '(hidden)';
  if (Array.isArray(value)) return value.map(toShownEntry).join(', ');
  if (row.secret === 'password') return maskCredentials(String(value));
  return row.unit === undefined ? String(value) : `${value} ${row.unit}`;
}

function toShownEntry(entry: unknown): string {
  return typeof entry === 'string' ? entry : JSON.stringify(entry);
}

/** A refused value as it may be shown: shortened, on one line, and nothing of what may be a secret. */
export function toShownRefusal(row: SettingRow, value: unknown): string {
  if (row.secret !== undefined) return '(hidden)';
  const masked = typeof value === 'string' ? maskCredentials(value) : value;
  const shown = JSON.stringify(masked) ?? String(masked);
  return shown.length > 100 ? `${shown.slice(0, 100)}…` : shown;
}

/** An address without its credentials; its query goes too, because drivers read passwords from it. */
function maskCredentials(address: string): string {
  return address
    .replace(/\/\/.*@/s, '//(hidden)@')
    .replace(/^([a-z]+:\/\/[^?#]*[?#]).*$/is, '$1(hidden)');
}
