import type { SettingRow } from './rows.ts';

/** Prints a value without secrets and as it may be written in a settings file, for the terminal and the log. */
export function toShownValue(row: SettingRow, value: unknown): string {
  if (value === undefined) return '(not set)';
  if (row.secret === 'value')
    return Array.isArray(value) ? `(hidden, ${value.length})` : '(hidden)';
  if (row.show !== undefined) return row.show(value);
  if (Array.isArray(value) && value.every((one) => typeof one === 'string'))
    return value.join(', ');
  if (row.secret === 'password') return maskCredentials(String(value));
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Prints a refused value: shortened, on one line, and without anything that may be a secret. */
export function toShownRefusal(row: SettingRow, value: unknown): string {
  if (row.secret !== undefined) return '(hidden)';
  const masked = typeof value === 'string' ? maskCredentials(value) : value;
  const shown = JSON.stringify(masked) ?? String(masked);
  return shown.length > 100 ? `${shown.slice(0, 100)}…` : shown;
}

/** An address without its credentials and without its query, because drivers read passwords from it. */
function maskCredentials(address: string): string {
  return address
    .replace(/\/\/.*@/s, '//(hidden)@')
    .replace(/^([a-z]+:\/\/[^?#]*[?#]).*$/is, '$1(hidden)');
}
