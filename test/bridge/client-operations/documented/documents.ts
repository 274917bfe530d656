import { type ExpectedGroup, file, orNull, words } from '../notation.ts';

export const documentGroups: ExpectedGroup = {
  createNewDocumentGroup: {
    sends: 'POST /document-groups',
    body: {
      'title*': 'Manuals',
      parent_entity_uid: orNull('p-1'),
      for_everyone_access_role_id: orNull('r-1'),
      sort_order: 1.5,
      key: orNull('MAN'),
    },
  },
  removeDocumentGroup: {
    sends: 'DELETE /document-groups/dg-1',
    path: { document_group_uid: 'dg-1' },
  },
  retrieveDocumentGroup: {
    sends: 'GET /document-groups/dg-1',
    path: { document_group_uid: 'dg-1' },
  },
  retrieveListOfDocumentGroups: {
    sends: 'GET /document-groups',
    query: {
      query: 'man uals',
      offset: 10,
      limit: 20,
      version: 2,
      condition: 1,
      start_position: 'a=',
      role: 3,
    },
  },
  // The documents do not show its body; the fields are in the notes of what the service takes.
  updateDocumentGroup: {
    sends: 'PATCH /document-groups/dg-1',
    path: { document_group_uid: 'dg-1' },
  },
};

export const documents: ExpectedGroup = {
  retrieveListOfDocuments: {
    sends: 'GET /documents',
    query: {
      query: 'man uals',
      offset: 10,
      limit: 20,
      version: 2,
      condition: 1,
      fields: 'uid,title',
      start_position: 'a=',
      include_search_preview: true,
    },
  },
  updateDocument: {
    sends: 'PATCH /documents/d-1',
    path: { document_uid: 'd-1' },
    body: {
      title: 'Flight manual',
      sort_order: 1.5,
      publish_date: orNull('2026-04-01'),
      data: { type: 'doc' },
      access: words('for_everyone', 'by_invite'),
      parent_entity_uid: orNull('p-1'),
      for_everyone_access_role_id: 'r-1',
      public: true,
      redirect_url: orNull('https://example.com'),
      hidden_on_public_site: false,
      settings: { a: 1 },
      backup_version: 1.5,
      published_version: words(2.5, null, 'current'),
      key: orNull('MAN'),
      icon_type: words('emoji', 'material_icon', null),
      icon_value: orNull('plane'),
      icon_color: orNull(3),
      notification_period_start: orNull('2026-04-01'),
      notification_period_end: orNull('2026-05-01'),
      slug: orNull('flight-manual'),
    },
  },
};

export const iterations: ExpectedGroup = {
  addCardToIteration: {
    sends: 'POST /spaces/s-1/iterations/it-1/cards',
    path: { space_uid: 's-1', iteration_id: 'it-1' },
    body: { 'card_uid*': 'c-1' },
  },
  createIteration: {
    sends: 'POST /spaces/s-1/iterations',
    path: { space_uid: 's-1' },
    body: {
      'title*': 'April',
      goal: orNull('fly'),
      start_date: orNull('2026-04-01'),
      finish_date: orNull('2026-04-30'),
    },
  },
  deleteIteration: {
    sends: 'DELETE /spaces/s-1/iterations/it-1',
    path: { space_uid: 's-1', id: 'it-1' },
    body: { new_iteration_id: orNull('it-2') },
  },
  getCardIterationsHistory: {
    sends: 'GET /cards/c-1/iterations-history',
    path: { card_uid: 'c-1' },
    query: { with_details: true },
  },
  getIteration: {
    sends: 'GET /spaces/s-1/iterations/it-1',
    path: { space_uid: 's-1', id: 'it-1' },
  },
  removeCardFromIteration: {
    sends: 'DELETE /spaces/s-1/iterations/it-1/cards/c-1',
    path: { space_uid: 's-1', iteration_id: 'it-1', uid: 'c-1' },
  },
  retrieveCardsInIteration: {
    sends: 'GET /spaces/s-1/iterations/it-1/cards',
    path: { space_uid: 's-1', iteration_id: 'it-1' },
    query: { status: 'active' },
  },
  retrieveListOfIterations: {
    sends: 'GET /spaces/s-1/iterations',
    path: { space_uid: 's-1' },
    query: { status: 'planned', with_data: 'yes', limit: 10.5, offset: 20.5, order: 'desc' },
  },
  updateIteration: {
    sends: 'PATCH /spaces/s-1/iterations/it-1',
    path: { space_uid: 's-1', id: 'it-1' },
    body: {
      title: 'May',
      goal: orNull('fly on'),
      status: words('planned', 'active', 'closed'),
      start_date: orNull('2026-05-01'),
      finish_date: orNull('2026-05-31'),
      actual_finish_date: orNull('2026-05-30'),
      new_iteration_id: orNull('it-2'),
    },
  },
};

const cardFile = { card_uid: 'c-1', id: 'f-1' };

export const restrictedAccessCardFiles: ExpectedGroup = {
  attachFileToCard: {
    sends: 'POST /cards/c-1/files',
    path: { card_uid: 'c-1' },
    body: { 'file*': file('contents') },
    content: 'multipart',
  },
  deleteCardFile: { sends: 'DELETE /cards/c-1/files/f-1', path: cardFile },
  getCardFile: {
    sends: 'GET /cards/c-1/files/f-1',
    path: cardFile,
    query: { redirect: false, download: true },
  },
  updateCardFile: {
    sends: 'PATCH /cards/c-1/files/f-1',
    path: cardFile,
    body: { name: 'map.pdf', card_cover: true },
  },
};

const commentFile = { card_uid: 'c-1', comment_uid: 'new', id: 'f-1' };

export const restrictedAccessCommentFiles: ExpectedGroup = {
  attachFileToComment: {
    sends: 'POST /cards/c-1/comments/new/files',
    path: { card_uid: 'c-1', comment_uid: 'new' },
    body: { 'file*': file('contents') },
    content: 'multipart',
  },
  deleteCommentFile: { sends: 'DELETE /cards/c-1/comments/new/files/f-1', path: commentFile },
  getCommentFile: {
    sends: 'GET /cards/c-1/comments/new/files/f-1',
    path: commentFile,
    query: { redirect: false, download: true },
  },
  updateCommentFile: {
    sends: 'PATCH /cards/c-1/comments/new/files/f-1',
    path: commentFile,
    body: { name: 'map.pdf', card_cover: true },
  },
};

const propertyFile = { card_uid: 'c-1', property_uid: 'p-1', id: 'f-1' };

export const restrictedAccessCustomPropertyFiles: ExpectedGroup = {
  attachFileToCustomProperty: {
    sends: 'POST /cards/c-1/custom-properties/p-1/files',
    path: { card_uid: 'c-1', property_uid: 'p-1' },
    body: { 'file*': file('contents') },
    content: 'multipart',
  },
  deleteCustomPropertyFile: {
    sends: 'DELETE /cards/c-1/custom-properties/p-1/files/f-1',
    path: propertyFile,
  },
  getCustomPropertyFile: {
    sends: 'GET /cards/c-1/custom-properties/p-1/files/f-1',
    path: propertyFile,
    query: { redirect: false, download: true },
  },
  updateCustomPropertyFile: {
    sends: 'PATCH /cards/c-1/custom-properties/p-1/files/f-1',
    path: propertyFile,
    body: { name: 'map.pdf', card_cover: true },
  },
};
