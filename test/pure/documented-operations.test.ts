import { expect, test } from 'vitest';
import { operationGroups } from '../../src/upstream/operations/all.ts';
import type { Operation, OperationGroup } from '../../src/upstream/operations/operation.ts';
import documented from './documented-operations.json' with { type: 'json' };

/** As the documents of the service, and what is known of the running one, describe it; a star marks what is required. */
interface Described {
  readonly sends: string;
  readonly query: string;
  readonly body: string;
}

function describeOperation({ method, path, query = {}, body = {} }: Operation): Described {
  return { sends: `${method} ${path}`, query: listNames(query), body: listNames(body) };
}

function listNames(fields: object): string {
  return Object.keys(fields).toSorted().join(' ');
}

const sortNames = (names = ''): string => names.split(' ').toSorted().join(' ');

test('the client has every operation of the documents, at its address and with its parameters, and no other', () => {
  const rows = Object.values(operationGroups).flatMap((group: OperationGroup) =>
    Object.values(group),
  );
  const wanted: Record<string, { sends: string; query?: string; body?: string }> = documented;

  expect(Object.fromEntries(rows.map((row) => [row.id, describeOperation(row)]))).toEqual(
    Object.fromEntries(
      Object.entries(wanted).map(([id, { sends, query, body }]) => [
        id,
        { sends, query: sortNames(query), body: sortNames(body) },
      ]),
    ),
  );
});
