import { expect, test } from 'vitest';
import { findByPath } from './json-path.ts';

const document = {
  id: '1',
  name: { familyName: 'Smith' },
  'name.familyName': 'flat',
  emails: [
    { type: 'home', value: 'h@example.com' },
    { type: 'work', value: 'w@example.com' },
    { type: 'work', value: 'second@example.com' },
  ],
  'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { manager: { value: '7' } },
};

const found = [
  { path: '$', want: document },
  { path: '$.id', want: '1' },
  { path: '$.name.familyName', want: 'Smith' },
  { path: "$['name.familyName']", want: 'flat' },
  { path: '$.emails[1].value', want: 'w@example.com' },
  { path: "$.emails[?(@.type=='work')].value", want: 'w@example.com' },
  {
    path: "$['urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'].manager.value",
    want: '7',
  },
];
test.each(found)('$path is found', ({ path, want }) => {
  expect(findByPath(document, path)).toEqual(want);
});

const absent = [
  '$.nickName',
  '$.name.givenName',
  '$.id.length',
  '$.emails[9].value',
  '$.emails.value',
  "$.emails[?(@.type=='other')].value",
  '$.name[0]',
  '$.constructor',
];
test.each(absent)('%s is absent', (path) => {
  expect(findByPath(document, path)).toBeUndefined();
});

test('nothing is found in an answer without a document', () => {
  expect(findByPath(undefined, '$.id')).toBeUndefined();
});

const misspelt = ['id', '$id', '$.emails[', '$.emails[?(@.type==work)]', '$..id', '$.'];
test.each(misspelt)('%s is refused, not taken for absent', (path) => {
  expect(() => findByPath(document, path)).toThrow(Error);
});
