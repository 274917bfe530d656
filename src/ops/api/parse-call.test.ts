import { expect, test } from 'vitest';
import { cardComments, restrictedAccessCardFiles } from '../../upstream/operations/card-parts.ts';
import { customDirectoryFields } from '../../upstream/operations/directories.ts';
import type { Operation } from '../../upstream/operations/operation.ts';
import { groups } from '../../upstream/operations/people.ts';
import { parseCall } from './routes.ts';

const { attachFileToCard } = restrictedAccessCardFiles;
const toContent = (text: string) => Buffer.from(text).toString('base64');

type Row<Outcome> = readonly [why: string, operation: Operation, sent: unknown, outcome: Outcome];

const parsed: readonly Row<object>[] = [
  ['nothing at all', groups.getListOfGroups, undefined, {}],
  [
    'a call without files as it is',
    groups.updateGroup,
    { path: { uid: 'g' }, body: { name: 'Pilots' } },
    { path: { uid: 'g' }, body: { name: 'Pilots' } },
  ],
  [
    'a field whose word is file',
    customDirectoryFields.createField,
    { path: { directory_id: 'd' }, body: { name: 'Map', type: 'file' } },
    { path: { directory_id: 'd' }, body: { name: 'Map', type: 'file' } },
  ],
  [
    'a file where the body has it',
    attachFileToCard,
    { path: { card_uid: 'c' }, files: { file: [{ content: toContent('x'), name: 'a.txt' }] } },
    { path: { card_uid: 'c' }, body: { file: { content: Buffer.from('x'), name: 'a.txt' } } },
  ],
  [
    'a list of files beside other fields',
    cardComments.addComment,
    { body: { text: 'see' }, files: { 'files[]': [{ content: toContent('x') }] } },
    { body: { text: 'see', 'files[]': [{ content: Buffer.from('x') }] } },
  ],
];
test.each(parsed)('parseCall takes %s', (_, operation, sent, args) => {
  expect(parseCall(operation, sent)).toEqual(args);
});

const refused: readonly Row<RegExp>[] = [
  ['a list', groups.getGroup, [], /groups\.getGroup: /],
  ['a part that no call has', groups.getGroup, { path: { uid: 'g' }, token: 'x' }, /token/],
  [
    'a path of this machine in place of a file',
    attachFileToCard,
    { path: { card_uid: 'c' }, body: { file: '/etc/passwd' } },
    /body\.file is a file; it is sent in files/,
  ],
  [
    'the same as an object or in a list',
    cardComments.addComment,
    { body: { text: 'see', 'files[]': [{ content: '/etc/passwd' }] } },
    /body\.files\[\] is a file/,
  ],
  [
    'a file that the operation does not take',
    groups.createGroup,
    { body: { name: 'x' }, files: { picture: [{ content: toContent('x') }] } },
    /files\.picture is unknown/,
  ],
  [
    'a content that is no base64',
    attachFileToCard,
    { files: { file: [{ content: 'not base64!' }] } },
    /base64/,
  ],
];
test.each(refused)('parseCall refuses %s', (_, operation, sent, says) => {
  expect(() => parseCall(operation, sent)).toThrow(TypeError);
  expect(() => parseCall(operation, sent)).toThrow(says);
});
