import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, createClient } from '../../../src/client.ts';
import { operationGroups } from '../../../src/upstream/operations/all.ts';
import type { Operation, OperationGroup } from '../../../src/upstream/operations/operation.ts';
import {
  listCalls,
  listParameters,
  type TableCall,
  toSmallestCall,
  without,
  withValue,
} from './calls.ts';
import { documented } from './documented/all.ts';
import { fromFieldNotes } from './field-notes.ts';
import type { Expected, ExpectedGroup } from './notation.ts';
import { type RecordingServer, readForm, startRecording } from './recording-server.ts';
import { listWrong } from './wrong-values.ts';

const TOKEN = 'token-of-the-client';

let server: RecordingServer;
let client: Client;

beforeAll(async () => {
  server = await startRecording();
  client = createClient({ baseUrl: server.baseUrl, token: TOKEN, requestsPerSecond: 0 });
});
afterAll(async () => {
  await client.close();
  server.stop();
});

const rows = toRows(documented);
const noted = toRows(fromFieldNotes);

test('the table has every operation to which the documents give a method and a path: 194', () => {
  expect(rows).toHaveLength(194);
  expect(rows.filter(({ group }) => group === 'scim')).toHaveLength(8);
  expect(Object.keys(documented)).toHaveLength(53);
});

test('the client has these, one that the documents only name, and 27 that only the running service shows', () => {
  const known = new Set([...rows, ...noted].map(({ id }) => id));
  const operations = Object.values(operationGroups).flatMap((group: OperationGroup) =>
    Object.values(group),
  );

  expect(operations.map(({ id }) => id).toSorted()).toEqual([...known].toSorted());
  expect(known.size).toBe(194 + 1 + 27);
  const fromNotes = operations.filter(({ source }) => source === 'field-notes');
  expect(fromNotes).toHaveLength(27);
  expect(fromNotes.filter(({ id }) => rows.some((row) => row.id === id))).toEqual([]);
});

test('no operation takes a parameter that is in neither table', () => {
  const inTables = Map.groupBy([...rows, ...noted], ({ id }) => id);
  for (const group of Object.values(operationGroups)) {
    for (const operation of Object.values<Operation>(group)) {
      const tables = inTables.get(operation.id) ?? [];
      const known = tables.flatMap(({ expected }) => listParameters(expected).map(toPlace));
      expect(listPlaces(operation), operation.id).toEqual([...new Set(known)].toSorted());
    }
  }
});

test('every operation sends what is expected, with all its parameters and with the required ones', async () => {
  for (const row of [...rows, ...noted]) {
    for (const call of [...listCalls(row.expected), toSmallestCall(row.expected)]) {
      await expectSent(row, call);
    }
  }
});

test('every operation is refused before it is sent when something is missing or unknown', async () => {
  for (const row of [...rows, ...noted]) {
    const call = toSmallestCall(row.expected);
    const required = listParameters(row.expected).filter(({ isRequired }) => isRequired);
    for (const parameter of required) {
      await expectRefused(row, without(call, parameter), `${toPlace(parameter)} is missing`);
    }
    for (const part of ['path', 'query', 'body'] as const) {
      const args = { ...call.args, [part]: { ...call.args[part], no_such: 'x' } };
      await expectRefused(row, args, `${part}.no_such is unknown`);
    }
  }
});

test('every operation is refused before it is sent with a value of a type that the documents do not have', async () => {
  for (const row of rows) {
    const call = toSmallestCall(row.expected);
    for (const parameter of listParameters(row.expected)) {
      for (const wrong of listWrong(parameter.value)) {
        await expectRefused(row, withValue(call, parameter, wrong), toPlace(parameter));
      }
    }
  }
});

interface Row {
  readonly id: string;
  readonly group: string;
  readonly name: string;
  readonly expected: Expected;
}

function toRows(table: Readonly<Record<string, ExpectedGroup>>): Row[] {
  return Object.entries(table).flatMap(([group, operations]) =>
    Object.entries(operations).map(([name, expected]) => ({
      id: `${group}.${name}`,
      group,
      name,
      expected,
    })),
  );
}

function toPlace({ part, name }: { readonly part: string; readonly name: string }): string {
  return `${part}.${name}`;
}

/** Every parameter that an operation of the client takes. */
function listPlaces({ pathParameters, query, body }: Operation): string[] {
  const parts = Object.entries({ path: pathParameters, query, body });
  return parts
    .flatMap(([part, fields]) =>
      Object.keys(fields ?? {}).map((name) => toPlace({ part, name: name.replace(/\*$/, '') })),
    )
    .toSorted();
}

/** The operation as the client offers it. */
function findMethod({ group, name }: Row): (args: object) => Promise<unknown> {
  const method: unknown = Reflect.get(Object(Reflect.get(client, group)), name);
  if (typeof method !== 'function') throw new Error(`the client has no ${group}.${name}`);
  return async (args) => Reflect.apply(method, undefined, [args]);
}

async function expectSent(row: Row, call: TableCall): Promise<void> {
  server.recorded.length = 0;
  await findMethod(row)(call.args);
  const [request, ...more] = server.recorded;
  if (request === undefined || more.length > 0) throw new Error(`${row.id}: not sent once`);
  const { method, url, headers, body } = request;
  const [path, query = ''] = url.split('?');
  expect(`${method} ${path}`, row.id).toBe(toWire(row.expected));
  expect([...new URLSearchParams(query)], row.id).toEqual(call.query);
  expect(headers, row.id).toMatchObject({
    authorization: `Bearer ${TOKEN}`,
    accept: 'application/json',
  });
  if (call.form !== undefined) {
    expect(headers['content-type'], row.id).toMatch(/^multipart\/form-data; ?boundary=/);
    expect(await readForm(request), row.id).toEqual(call.form);
    return;
  }
  expect(headers['content-type'], row.id).toBe(call.json && 'application/json');
  expect(body.toString(), row.id).toBe(call.json === undefined ? '' : JSON.stringify(call.json));
}

/** Method and path, with what stands before REST paths. */
function toWire({ sends }: Expected): string {
  return sends.includes(' /scim/') ? sends : sends.replace(' ', ' /api/latest');
}

async function expectRefused(row: Row, args: object, message: string): Promise<void> {
  server.recorded.length = 0;
  const refusal = await findMethod(row)(args).then(
    () => 'nothing was refused',
    (error: unknown) => error,
  );
  if (!(refusal instanceof TypeError)) throw new Error(`${refusal}: ${JSON.stringify(args)}`);
  // Thousands of calls come here: an assertion takes longer than all else.
  const isRefused = refusal.message.startsWith(`${row.id}: ${message}`);
  if (!isRefused || server.recorded.length > 0) {
    expect.fail(`${row.id}: ${refusal.message}, sent ${server.recorded.length} times`);
  }
}
