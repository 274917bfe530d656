import type { JsonObject, JsonValue } from '../../../src/domain/json.ts';
import type { Account, OtherCompany, State, Team } from './company.ts';
import type { OtherShape } from './shape.ts';

/** A request to the service, its path taken apart. */
export interface Call {
  readonly company: OtherCompany;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: JsonObject;
}

/** An answer; without a body it has none. */
export interface Answer {
  readonly status: number;
  readonly body?: JsonValue;
}

/** An answer without a body. */
export function nothing(status: number): Answer {
  return { status };
}

/** A list of REST. */
export function toListAnswer(
  { lists, emptyLists }: OtherShape,
  list: readonly JsonValue[],
): Answer {
  const body = [...list];
  if (body.length === 0 && emptyLists === 'null') return { status: 200, body: null };
  if (body.length === 0 && emptyLists === 'no content') return nothing(204);
  return { status: 200, body: lists === 'bare' ? body : { items: body } };
}

/** A refusal in words, as REST has them. */
export function refuse(status: number, message: string): Answer {
  return { status, body: { message } };
}

/** Somebody by the number in a path. */
export function findPerson({ people }: State, id: string | undefined): Account | undefined {
  return people.get(Number(id));
}

/** A group by what an interface calls its id. */
export function findTeam(
  { teams }: State,
  id: string | undefined,
  kind: 'uid' | 'id',
): Team | undefined {
  return [...teams.values()].find((team) => String(team[kind]) === id);
}

/** All of them in the order of lists. */
export function inOrder<T extends Account | Team>(
  all: ReadonlyMap<number, T>,
  order: OtherShape['order'],
  toName: (each: T) => string,
): T[] {
  const list = [...all.values()];
  if (order === 'by name') return list.sort((a, b) => (toName(a) < toName(b) ? -1 : 1));
  return list.sort((a, b) => (order === 'newest first' ? b.id - a.id : a.id - b.id));
}
