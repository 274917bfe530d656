import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonValue } from '../../domain/json.ts';

/** An answer of the bridge, and what a check has looked at in it. */
export interface Answer {
  /** Method and address as people read them: `GET /Users?filter=userName eq "…"`. */
  readonly request: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Parsed JSON; null where there is none. */
  readonly body: JsonValue;
  readonly durationMs: number;
  /** Parts that were looked at, as words: no secret, and nothing of people whom the run did not make. */
  readonly parts: string[];
}

/** A requirement does not hold; the message says what came in the place of what. */
export class CheckFailed extends Error {
  override readonly name = 'CheckFailed';
}

/** A check that cannot be made from here; the message says why. */
export class CheckSkipped extends Error {
  override readonly name = 'CheckSkipped';
}

/** Schema of a list. */
export const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
/** Longest text of an answer that is told. */
const DETAIL_MAX = 200;

/** Asserts the status of an answer. @throws CheckFailed with the words of the bridge */
export function assertStatus(answer: Answer, ...wanted: readonly number[]): void {
  if (wanted.includes(answer.status)) return;
  const detail = findAt(answer.body, 'detail');
  const words = typeof detail === 'string' ? `: ${detail.slice(0, DETAIL_MAX)}` : '';
  fail(answer, `answered ${answer.status}${words}; wanted is ${wanted.join(' or ')}`);
}

/** Asserts that the part at a path, such as `name/givenName`, is this value. @throws CheckFailed */
export function assertAt(answer: Answer, path: string, wanted: JsonValue): void {
  const found = findAt(answer.body, path);
  if (!isDeepStrictEqual(found, wanted)) {
    fail(answer, `${path} is ${toWords(found)}; wanted is ${JSON.stringify(wanted)}`);
  }
  answer.parts.push(`${path} is ${JSON.stringify(wanted)}`);
}

/** Asserts that there is something at each path. The values are not told. @throws CheckFailed */
export function assertFilled(answer: Answer, ...paths: readonly string[]): void {
  for (const path of paths) {
    if (isEmpty(findAt(answer.body, path))) fail(answer, `${path} is empty or not there`);
    answer.parts.push(`${path} is there`);
  }
}

/** Asserts that there is nothing at a path: absent, null, an empty text or list. @throws CheckFailed */
export function assertEmpty(answer: Answer, ...paths: readonly string[]): void {
  for (const path of paths) {
    if (!isEmpty(findAt(answer.body, path))) fail(answer, `${path} is still there`);
    answer.parts.push(`${path} is empty`);
  }
}

/** Asserts that the part at each path is a number. @throws CheckFailed */
export function assertNumbers(answer: Answer, ...paths: readonly string[]): void {
  for (const path of paths) {
    const found = findAt(answer.body, path);
    if (typeof found !== 'number') fail(answer, `${path} is no number`);
    answer.parts.push(`${path} is a number`);
  }
}

/** Asserts that the list at a path has each of these. @throws CheckFailed */
export function assertListed(
  answer: Answer,
  path: string,
  wanted: readonly string[],
  listed: readonly JsonValue[] = listAt(answer, path),
): void {
  for (const each of wanted) {
    if (!listed.includes(each)) fail(answer, `${path} is without ${each}`);
    answer.parts.push(`${path} has ${each}`);
  }
}

/** Asserts the form of a SCIM error. @see RFC 7644 §3.12 @throws CheckFailed */
export function assertError(answer: Answer, status: number): void {
  assertStatus(answer, status);
  assertListed(answer, 'schemas', ['urn:ietf:params:scim:api:messages:2.0:Error']);
  assertAt(answer, 'status', `${status}`);
}

/** Asserts a list with something in it. @see RFC 7644 §3.4.2 @throws CheckFailed */
export function assertList(answer: Answer): void {
  assertStatus(answer, 200);
  assertListed(answer, 'schemas', [LIST]);
  assertNumbers(answer, 'totalResults');
  assertFilled(answer, 'Resources');
}

/** Refuses an answer. @throws CheckFailed */
export function fail(answer: Pick<Answer, 'request'>, words: string): never {
  throw new CheckFailed(`${answer.request}: ${words}`);
}

/** Finds the part at a path with slashes; undefined: it is not there. */
export function findAt(body: JsonValue | undefined, path: string): JsonValue | undefined {
  return path.split('/').reduce<JsonValue | undefined>((part, step) => {
    if (Array.isArray(part)) return part[Number(step)];
    return isJsonObject(part) ? part[step] : undefined;
  }, body);
}

/** Lists the entries at a path. @throws CheckFailed where there is no list */
export function listAt(answer: Answer, path: string): readonly JsonValue[] {
  const found = findAt(answer.body, path);
  return Array.isArray(found) ? found : fail(answer, `${path} is no list`);
}

function isEmpty(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** Texts are not told but those of a status: they may be about somebody else. */
function toWords(value: JsonValue | undefined): string {
  if (value === undefined) return 'not there';
  if (typeof value === 'string' && /^\d{3}$/.test(value)) return value;
  return typeof value === 'string' || (typeof value === 'object' && value !== null)
    ? 'another one'
    : JSON.stringify(value);
}
