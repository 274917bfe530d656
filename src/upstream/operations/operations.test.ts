import { describe, expect, test } from 'vitest';
import { operationGroups } from './all.ts';
import type { Operation, OperationGroup } from './operation.ts';
import { compileOperation } from './prepare.ts';

const rows = Object.entries(operationGroups).flatMap(
  ([group, operations]: [string, OperationGroup]) =>
    Object.entries(operations).map(([name, row]) => ({ group, id: `${group}.${name}`, row })),
);

function idsWhere(isSo: (row: Operation, place: { group: string; id: string }) => boolean) {
  return rows.filter(({ row, ...place }) => isSo(row, place)).map(({ id }) => id);
}
const queryOf = (row: Operation) => Object.keys(row.query ?? {});
const typesOf = (row: Operation) => Object.values({ ...row.query, ...row.body });
const holdsFile = (row: Operation) => typesOf(row).some((type) => /\bfile\b(?!')/.test(type));

describe('the rows', () => {
  test('are named after their place, and say where they are described', () => {
    expect(idsWhere((row, { id }) => row.id !== id)).toEqual([]);
    const wrongSource = idsWhere(({ api, source }, { group }) => {
      if (source === 'field-notes') return api === 'scim';
      return source !== (api === 'scim' ? 'SCIM provisioning' : `REST: ${group}`);
    });
    expect(wrongSource).toEqual([]);
  });

  test('have types that can be checked', () => {
    for (const { row } of rows) {
      expect(() => compileOperation(row, '')).not.toThrow();
      const answer = { ...row, body: row.response.types ?? {} };
      expect(() => compileOperation(answer, '')).not.toThrow();
    }
  });

  test('name a field of an answer once, and give types only to such fields', () => {
    const isWrong = ({ response }: Operation) =>
      [response, response.entries].some((shape) => {
        const { fields, types } = { fields: [], types: {}, ...shape };
        const names: readonly string[] = fields;
        const isTwice = new Set(names).size !== names.length;
        return isTwice || !Object.keys(types).every((name) => names.includes(name));
      });
    expect(idsWhere(isWrong)).toEqual([]);
  });

  test('send a form where there is a file, and nowhere else', () => {
    expect(idsWhere((row) => holdsFile(row) !== (row.content !== undefined))).toEqual([]);
    expect(idsWhere((row) => row.content === 'multipart')).toEqual([
      'cardFiles.attachFileToCard',
      'restrictedAccessCardFiles.attachFileToCard',
      'restrictedAccessCommentFiles.attachFileToComment',
      'restrictedAccessCustomPropertyFiles.attachFileToCustomProperty',
    ]);
    expect(idsWhere((row) => row.content === 'json-or-multipart')).toEqual([
      'cardComments.addComment',
      'cardComments.updateComment',
    ]);
  });

  test('answer with a redirect where one can be asked for', () => {
    const asked = idsWhere((row) => queryOf(row).includes('redirect'));
    expect(idsWhere((row) => row.response.kind === 'redirect')).toEqual(asked);
    expect(asked).toHaveLength(3);
  });

  test('say how an object travels in a query, and how each list that is not joined with commas', () => {
    const unknownStyle = idsWhere((row) =>
      Object.keys(row.queryStyle ?? {}).some((name) => !queryOf(row).includes(name)),
    );
    expect(unknownStyle).toEqual([]);
    const unsaid = idsWhere((row) =>
      Object.entries(row.query ?? {}).some(
        ([name, type]) => /\bobject\b/.test(type) && row.queryStyle?.[name] === undefined,
      ),
    );
    expect(unsaid).toEqual([]);
    const inStyle = (style: string) =>
      rows.flatMap(({ id, row }) =>
        Object.entries(row.queryStyle ?? {})
          .filter(([, own]) => own === style)
          .map(([name]) => `${id} ${name}`),
      );
    expect(inStyle('brackets')).toEqual([
      'customDirectories.getListOfCustomDirectories conditions',
      'customDirectoryFields.getListOfFields conditions',
      'customDirectoryRecords.getListOfRecords conditions',
    ]);
    expect(inStyle('json')).toEqual(['customDirectoryRecords.getListOfRecords filters']);
    expect(inStyle('base64-json')).toEqual(['cards.retrieveCardList filter']);
  });

  test('go on in the style that their query has room for', () => {
    const styleOf = (row: Operation) => {
      const names = queryOf(row);
      if (names.includes('startIndex')) return 'start-index';
      if (names.includes('last_user_id')) return 'last-user-id';
      if (names.includes('start_position')) return 'start-position';
      return names.includes('offset') ? 'offset' : undefined;
    };
    expect(idsWhere((row) => row.paging !== styleOf(row))).toEqual([]);
    const isNoList = ({ method, response: { kind }, api }: Operation) =>
      method !== 'GET' || kind !== (api === 'scim' ? 'list' : 'array');
    expect(idsWhere((row) => row.paging !== undefined && isNoList(row))).toEqual([]);
  });

  test('are repeated blindly where that leaves the service as once would', () => {
    const reads = idsWhere((row) => row.method === 'GET' && row.repeat === 'unsafe');
    const safePosts = idsWhere((row) => row.method === 'POST' && row.repeat === 'safe');
    const others = idsWhere((row) => row.method !== 'POST' && row.repeat === 'unsafe');
    expect(reads).toEqual([]);
    expect(safePosts).toEqual(['groupAdmins.addAdminToGroup', 'groupUsers.addUserToGroup']);
    expect(others).toEqual([
      'scim.updateGroup',
      'cardComments.updateComment',
      'cardFiles.attachFileToCard',
      'cards.batchUpdateForCards',
      'customDirectories.updateCustomDirectory',
    ]);
  });

  test('name their conditions where they change whatever fits', () => {
    // Neither the path nor a required parameter names the object.
    const isOpen = ({ method, path, body = {}, query = {} }: Operation) =>
      ['PUT', 'PATCH', 'DELETE'].includes(method) &&
      !path.includes('{') &&
      Object.keys({ ...body, ...query }).every((name) => !name.endsWith('*'));
    expect(idsWhere((row) => row.conditions !== undefined)).toEqual(idsWhere(isOpen));
    expect(idsWhere(isOpen)).toEqual(['cards.batchUpdateForCards']);
    const isUnknown = ({ conditions = [], body = {} }: Operation) =>
      conditions.some((name) => !(name in body));
    expect(idsWhere(isUnknown)).toEqual([]);
  });

  test('are flagged as the documents flag them', () => {
    expect(idsWhere((row) => row.stage === 'deprecated')).toEqual(['cardFiles.attachFileToCard']);
    const beta = new Set(rows.filter(({ row }) => row.stage === 'beta').map(({ group }) => group));
    expect([...beta]).toEqual([
      ...['customDirectories', 'customDirectoryFields', 'customDirectoryRecords'],
      ...['groupAdmins', 'groupEntities', 'groupUsers', 'groups'],
      ...['iterations', 'treeEntities', 'treeEntityRoles'],
    ]);
    expect(idsWhere((row, { group }) => beta.has(group) && row.stage !== 'beta')).toEqual([]);
  });

  test('say which parameters the documents do not have', () => {
    const isWrong = ({ undocumented = [], body = {}, query = {}, source }: Operation) =>
      (source === 'field-notes' && undocumented.length > 0) ||
      undocumented.some((name) => {
        const inQuery = name.replace(/^query\./, '');
        return !(inQuery in query) && !(name in body);
      });
    expect(idsWhere(isWrong)).toEqual([]);
  });
});
