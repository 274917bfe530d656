import {
  type AuditEventRow,
  type EventNameRow,
  type EventResourceRow,
  toNameKey,
} from '../../store/audit/events.ts';
import type { NewEvent } from './attribute-events.ts';
import { isOfNothing } from './event-actions.ts';
import { toWords } from './name-events.ts';

/** Largest length of stored details; longer ones are dropped. */
const DETAILS_LENGTH_MAX = 16_384;
const TEXT_LENGTH_MAX = 4_096;
/** An event with more texts than this is not a single change of one resource. */
const NAMES_MAX = 50;
const NAME_LENGTH_MAX = 256;

type AttributedEvent = Omit<NewEvent, 'toLook'>;

/** Row of an event. `now` is epoch milliseconds. */
export function toEventRow(
  { event: { audit }, origin, use }: AttributedEvent,
  now: number,
): AuditEventRow {
  return {
    id: toText(audit.id),
    created_at: audit.createdAt.getTime(),
    seen_at: now,
    category: toText(audit.category),
    action: toText(audit.action),
    message: toTextOrNull(audit.message),
    details: toDetails(audit.details),
    author_id: audit.authorId ?? null,
    author_uid: toTextOrNull(audit.authorUid),
    author_username: toTextOrNull(audit.authorUsername),
    author_address: toTextOrNull(audit.authorRemoteAddress),
    origin,
    explained_by: use ?? null,
  };
}

/** Rows of the resources that an event names, as far as the store knows them. */
export function toResourceRows({
  event: { audit, known, at },
}: AttributedEvent): EventResourceRow[] {
  return (['user', 'group'] as const).flatMap((type) =>
    [...known[type]].map((id) => ({
      event_id: toText(audit.id),
      resource_type: type,
      resource_id: id,
      at,
      user_count: known.user.size,
    })),
  );
}

/** Rows of the texts of an event that names no known resource: the store may learn of the resource later. */
export function toNameRows({ event }: AttributedEvent): EventNameRow[] {
  const isKnown = event.known.user.size + event.known.group.size > 0;
  if (isKnown || isOfNothing(toWords(event))) return [];
  const names = [...event.names].filter(([{ length }]) => length <= NAME_LENGTH_MAX);
  const keys = names
    .slice(0, NAMES_MAX)
    .flatMap(([name, types]) => [...types].map((type) => toNameKey(type, name.toWellFormed())));
  return [...new Set(keys)].map((name_folded) => ({
    event_id: toText(event.audit.id),
    name_folded,
    at: event.at,
  }));
}

/** Text without NUL, which PostgreSQL cannot store. */
export function toText(text: string): string {
  return text.replaceAll('\0', '').slice(0, TEXT_LENGTH_MAX);
}

function toTextOrNull(text: string | undefined): string | null {
  return text === undefined ? null : toText(text);
}

function toDetails(details: unknown): string | null {
  if (details === undefined || details === null) return null;
  const text = JSON.stringify(details);
  return text.length > DETAILS_LENGTH_MAX ? null : text;
}
