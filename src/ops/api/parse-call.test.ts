import { expect, test } from 'vitest';
import { cardComments, restrictedAccessCardFiles } from '../../upstream/operations/card-parts.ts';
import { customDirectoryFields } from '../../upstream/operations/directories.ts';
import type { Operation } from '../../upstream/operations/operation.ts';
import { groups } from '../../upstream/operations/people.ts';
import { parseCall } from './routes.ts';

const { attachFileToCard } = restrictedAccessCardFiles;
const toContent = (text: string) => Buffer.from(text).toString('base64');

const parsed: { why: string; operation: Operation; sent: unknown; args: object }[] = [
  { why: 'nothing at all', operation: groups.getListOfGroups, sent: undefined, args: {} },
  {
    why: 'a call without files as it is',
    operation: groups.updateGroup,
    sent: { path: { uid: 'g' }, body: { name: 'Pilots' } },
    args: { path: { uid: 'g' }, body: { name: 'Pilots' } },
  },
  {
    why: 'a field whose word is file',
    operation: customDirectoryFields.createField,
    sent: { path: { directory_id: 'd' }, body: { name: 'Map', type: 'file' } },
    args: { path: { directory_id: 'd' }, body: { name: 'Map', type: 'file' } },
  },
  {
    why: 'a file where the body has it',
    operation: attachFileToCard,
    sent: {
      path: { card_uid: 'c' },
      files: { file: [{ content: toContent('x'), name: 'a.txt' }] },
    },
    args: {
      path: { card_uid: 'c' },
      body: { file: { content: Buffer.from('x'), name: 'a.txt' } },
    },
  },
  {
    why: 'a list of files beside other fields',
    operation: cardComments.addComment,
    sent: { body: { text: 'see' }, files: { 'files[]': [{ content: toContent('x') }] } },
    args: { body: { text: 'see', 'files[]': [{ content: Buffer.from('x') }] } },
  },
];
test.each(parsed)('parseCall takes $why', ({ operation, sent, args }) => {
  expect(parseCall(operation, sent)).toEqual(args);
});

const refused: { why: string; operation: Operation; sent: unknown; says: RegExp }[] = [
  { why: 'a list', operation: groups.getGroup, sent: [], says: /groups\.getGroup: / },
  {
    why: 'a part that no call has',
    operation: groups.getGroup,
    sent: { path: { uid: 'g' }, token: 'x' },
    says: /token/,
  },
  {
    why: 'a path of this machine in place of a file',
    operation: attachFileToCard,
    sent: { path: { card_uid: 'c' }, body: { file: '/etc/passwd' } },
    says: /body\.file is a file; it is sent in files/,
  },
  {
    why: 'the same as an object or in a list',
    operation: cardComments.addComment,
    sent: { body: { text: 'see', 'files[]': [{ content: '/etc/passwd' }] } },
    says: /body\.files\[\] is a file/,
  },
  {
    why: 'a file that the operation does not take',
    operation: groups.createGroup,
    sent: { body: { name: 'x' }, files: { picture: [{ content: toContent('x') }] } },
    says: /files\.picture is unknown/,
  },
  {
    why: 'a content that is no base64',
    operation: attachFileToCard,
    sent: { files: { file: [{ content: 'not base64!' }] } },
    says: /base64/,
  },
];
test.each(refused)('parseCall refuses $why', ({ operation, sent, says }) => {
  expect(() => parseCall(operation, sent)).toThrow(TypeError);
  expect(() => parseCall(operation, sent)).toThrow(says);
});
