import { isNamed } from '../upstream/operations/part.ts';
import { type Cursor, createCursor } from '../upstream/page-progress.ts';

/** Position in a list: plain JSON, to be kept anywhere and continued from. */
export interface PageCursor extends Cursor {
  /** The list that was read. */
  readonly operation: string;
  /** Entries that were already handed out of the page that begins here. */
  readonly passed: number;
  /** True when all of the list was handed out. */
  readonly ended: boolean;
}

/** The beginning of a list. */
export function startCursor(operation: string, pageSize: number): PageCursor {
  return { ...createCursor(pageSize), operation, passed: 0, ended: false };
}

/** Parses a stored cursor. @throws TypeError when it is none, or one of another list. */
export function parseCursor(operation: string, value: unknown): PageCursor {
  const label = `${operation}: from`;
  if (!isNamed(value)) throw new TypeError(`${label} is no cursor`);
  if (value.operation !== operation) throw new TypeError(`${label} is a cursor of another list`);
  const after = toPlaceOrAbsent(value.after);
  const { recent, count, overlap, back } = value;
  return {
    operation,
    position: parseCount(label, value.position),
    passed: parseCount(label, value.passed),
    pageSize: Math.max(1, parseCount(label, value.pageSize)),
    total: value.total === undefined ? undefined : parseCount(label, value.total),
    firstPage: toTextOrAbsent(value.firstPage),
    lastPage: toTextOrAbsent(value.lastPage),
    limitIgnored: value.limitIgnored === true,
    ended: value.ended === true,
    moved: value.moved === true,
    ...(after === undefined ? {} : { after }),
    ...(Array.isArray(recent) ? { recent: recent.map(String) } : {}),
    ...(count === undefined ? {} : { count: parseCount(label, count) }),
    ...(overlap === undefined ? {} : { overlap: parseCount(label, overlap) }),
    ...(back === undefined ? {} : { back: parseCount(label, back) }),
  };
}

function parseCount(label: string, value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw new TypeError(`${label} is no cursor`);
}

function toTextOrAbsent(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function toPlaceOrAbsent(value: unknown): string | number | undefined {
  return typeof value === 'number' ? value : toTextOrAbsent(value);
}
