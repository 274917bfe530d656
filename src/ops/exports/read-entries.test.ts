import { describe, expect, test } from 'vitest';
import type { ExportEntry, IdsOf } from './read-entries.ts';
import { ENTRIES_MAX, readEntries } from './read-entries.ts';

function read(file: string | Buffer, idsOf: IdsOf = 'provider'): Promise<ExportEntry[]> {
  return readEntries(Buffer.from(file), idsOf);
}

const ENTRA = `version:v1.0
userPrincipalName,displayName,surname,mail,givenName,objectId,userType,accountEnabled
ada@example.com,"Lovelace, Ada",Lovelace,ada@example.com,Ada,7a-1,Member,True
"bob@example.com",Bob,,,Bob,7a-2,Member,False
`;

const toUtf16 = (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le');

describe('readEntries', () => {
  test("knows the columns of Entra's download", async () => {
    const ada = {
      ...{ userName: 'ada@example.com', email: 'ada@example.com', externalId: '7a-1' },
      ...{ displayName: 'Lovelace, Ada', 'name.givenName': 'Ada', 'name.familyName': 'Lovelace' },
    };
    const bob = {
      ...{ userName: 'bob@example.com', email: '', externalId: '7a-2', displayName: 'Bob' },
      ...{ 'name.givenName': 'Bob', 'name.familyName': '' },
    };
    const [first, second] = await read(ENTRA);
    expect(first).toEqual({ row: 3, active: true, texts: ada });
    expect(second).toEqual({ row: 4, active: false, texts: bob });
  });

  test.each([
    [
      "Okta's report",
      'Okta user ID,Okta username,Primary email,First name,Last name,Okta user status\n00u1,ada,ada@example.com,Ada,Example,Password expired\n',
    ],
    [
      "Okta's CSV of people",
      'id,login,email,firstName,lastName,status\n00u1,ada,ada@example.com,Ada,Example,PASSWORD_EXPIRED\n',
    ],
    [
      "Entra's template",
      'Object [objectId],User name [userPrincipalName] Required,Mail [mail],First name [givenName],Last name [surname],Block [accountEnabled]\n00u1,ada,ada@example.com,Ada,Example,Yes\n',
    ],
    [
      'one object of Okta a line',
      '{"id":"00u1","status":"ACTIVE","profile":{"login":"ada","email":"ada@example.com","firstName":"Ada","lastName":"Example"}}',
    ],
    [
      'one object of SCIM a line',
      '{"id":"2819","externalId":"00u1","userName":"ada","active":true,"name":{"givenName":"Ada","familyName":"Example"},"emails":[{"value":"other@example.com"},{"value":"ada@example.com","primary":true}],"groups":[]}\n',
    ],
    [
      'one object of Graph a line',
      '\uFEFF{"id":"00u1","userPrincipalName":"ada","mail":"ada@example.com","givenName":"Ada","surname":"Example","accountEnabled":true}\n\n',
    ],
  ])('knows %s', async (_, file) => {
    const [entry, ...others] = await read(file);

    expect(others).toEqual([]);
    const ids = { externalId: '00u1', userName: 'ada', email: 'ada@example.com' };
    const texts = { ...ids, 'name.givenName': 'Ada', 'name.familyName': 'Example' };
    expect(entry).toMatchObject({ active: true, texts });
  });

  test.each([
    ['semicolons', 'userName;email\r\nada;ada@example.com\r\n'],
    ['tabs', 'userName\temail\nada\tada@example.com\n'],
    ['the line that Excel writes', 'sep=;\r\nuserName;email\r\nada;ada@example.com\r\n'],
    ['lines that end with CR alone', 'userName,email\rada,ada@example.com\r'],
    ['no end of the last line', 'userName,email\nada,ada@example.com'],
    ['empty lines', '\n\nuserName,email\n\nada,ada@example.com\n\n'],
    ['a mark of UTF-8', '\uFEFFuserName,email\nada,ada@example.com\n'],
    ['UTF-16 of Excel', toUtf16('userName\temail\r\nada\tada@example.com\r\n')],
    ['UTF-16 with the other order', toUtf16('userName,email\nada,ada@example.com\n').swap16()],
  ])('reads a file with %s', async (_, file) => {
    const texts = { userName: 'ada', email: 'ada@example.com' };
    expect(await read(file)).toMatchObject([{ texts }]);
  });

  test('reads a long file without breaking a character', async () => {
    const names = Array.from({ length: 20_000 }, (_, n) => `\u{1F600}${n}`);
    const entries = await read(`userName\n${names.join('\n')}\n`);
    expect(entries.map(({ texts }) => texts.userName)).toEqual(names);
  });

  test('reads quotes, separators and line breaks in cells', async () => {
    const [entry] = await read('userName,displayName\nada,"A ""x"", \r\nB"\n');

    expect(entry?.texts.displayName).toBe('A "x", \r\nB');
  });

  const MAIL = 'userName,email\nada,a@example.com\n';
  const LONG = 'x'.repeat(200_000);
  const noColumn = /^Row 2 of the file names nobody: no column is known as externalId,/;
  const noCells = /^Row 3 of the file is no CSV \(not as many cells as the first\)/;
  const halfPair = '{"userName":"ada","externalId":"\\ud800"}';
  const tooLong = /^Row 2 of the file has an externalId that has more than 512 characters/;
  test.each([
    ['no column that names anybody', 'a;b\n1;2\n', noColumn],
    ['nobody in a row', 'userName,email\nada,\n,\n', /^Row 3 of the file names nobody/],
    ['an unknown state', 'userName,status\nada,perhaps\n', /^Row 2 of the file: the column of/],
    ['a cell too many', `${MAIL}bob,b@example.com,x\n`, noCells],
    ['a quote in a cell', `${MAIL}"bob"x,b\n`, /^Row 3 of the file is no CSV \(a quote/],
    ['a quote that never ends', `userName,email\nada,"${LONG}`, /no CSV/],
    ['a line that is no JSON', '{"userName":"ada"}\n{"a":\n', /^Row 2 of the file is no JSON/],
    ['a very long line', `{"userName":"${LONG}"}`, /Row 1 of the file .* or has more than/],
    ['Latin letters', Buffer.from('userName\nJ\xf6rg\n', 'latin1'), /neither UTF-8 nor UTF-16/],
    ['a NUL in an id', 'id,userName\n1\0,ada\n', /^Row 2 of the file has an id that has/],
    ['half of a surrogate pair in an id', halfPair, /^Row 1 of the file has an externalId that/],
    ['an id that no index can hold', `externalId\n${'x'.repeat(513)}\n`, tooLong],
    ['nothing', '', /no line behind the names/],
    ['names of columns alone', 'userName,email\n', /no line behind the names/],
  ])('refuses %s', async (_, file, words) => {
    await expect(read(file)).rejects.toThrow(words);
  });

  test('refuses too many people', async () => {
    const file = `userName\n${'a\n'.repeat(ENTRIES_MAX + 1)}`;

    await expect(read(file)).rejects.toThrow(/more than 100000 people/);
  });

  test('the id of a provider is its externalId, and that of a server is not', async () => {
    const file = 'id,displayName,userName\n17,Pilots,ada\n';
    const [ofProvider, ofServer] = [await read(file), await read(file, 'server')];
    const [group] = await read('id,displayName\n17,Pilots\n', 'server');

    expect(ofProvider[0]?.texts.externalId).toBe('17');
    expect(ofServer[0]?.texts).toEqual({ id: '17', displayName: 'Pilots', userName: 'ada' });
    expect(group?.texts).toEqual({ id: '17', displayName: 'Pilots' });
  });
});
