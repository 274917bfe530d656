// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call, PositionedListCall } from '../client-types.ts';

/** Arguments of `documents.createNewDocument`. */
export interface DocumentsCreateNewDocumentArguments {
  readonly body: {
    readonly sort_order: number;
    readonly title?: string | undefined;
    readonly parent_entity_uid?: string | null | undefined;
    readonly for_everyone_access_role_id?: string | null | undefined;
    readonly clone_uid?: string | null | undefined;
    readonly clone_version?: number | null | undefined;
    readonly key?: string | null | undefined;
  };
}

/** Answer of `documents.createNewDocument`. */
export interface DocumentsCreateNewDocumentAnswer {
  /** Inferred from its name. */
  uid: string;
  /** Inferred from its name. */
  id: number | string;
  /** Inferred from `body.title`. */
  title: string | null;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  archived: unknown;
  /** Inferred from its name. */
  company_id: number | string | null;
  /** Inferred from the parameters called `author_id`. */
  author_id: number | null;
  /** Inferred from its name. */
  parent_entity_uid: string | null;
  entity_type: unknown;
  /** Inferred from `body.sort_order`. */
  sort_order: number | null;
  /** Inferred from `body.access`. */
  access: string | null;
  /** Inferred from the parameters called `for_everyone_access_role_id`. */
  for_everyone_access_role_id: string | null;
  version: unknown;
  /** Inferred from `body.published_version`. */
  published_version: number | string | null;
  /** Inferred from its name: a time. */
  publish_date: string | null;
  /** Inferred from `body.public`. */
  public: boolean | null;
  /** Inferred from `body.hidden_on_public_site`. */
  hidden_on_public_site: boolean | null;
  settings: unknown;
  /** Inferred from `body.key`. */
  key: string | null;
  /** Inferred from `body.redirect_url`. */
  redirect_url: string | null;
  /** Inferred from `body.icon_type`. */
  icon_type: string | null;
  /** Inferred from `body.icon_value`. */
  icon_value: string | null;
  /** Inferred from `body.icon_color`. */
  icon_color: number | null;
  path: unknown;
  schema_version: unknown;
  /** Inferred from `body.notification_period_start`. */
  notification_period_start: string | null;
  /** Inferred from `body.notification_period_end`. */
  notification_period_end: string | null;
  /** Inferred from the parameters called `group_id`. */
  group_id: number | string | null;
  data: unknown;
  access_record: unknown;
}

/** Arguments of `documents.removeDocument`. */
export interface DocumentsRemoveDocumentArguments {
  readonly path: {
    readonly document_uid: string;
  };
}

/** Answer of `documents.removeDocument`. */
export interface DocumentsRemoveDocumentAnswer {
  /** Inferred from its name. */
  uid: string;
  /** Inferred from its name. */
  id: number | string;
  /** Inferred from `body.title`. */
  title: string | null;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  archived: unknown;
  /** Inferred from its name. */
  company_id: number | string | null;
  /** Inferred from the parameters called `author_id`. */
  author_id: number | null;
  /** Inferred from its name. */
  parent_entity_uid: string | null;
  entity_type: unknown;
  /** Inferred from `body.sort_order`. */
  sort_order: number | null;
  /** Inferred from `body.access`. */
  access: string | null;
  /** Inferred from the parameters called `for_everyone_access_role_id`. */
  for_everyone_access_role_id: string | null;
  version: unknown;
  /** Inferred from `body.published_version`. */
  published_version: number | string | null;
  /** Inferred from its name: a time. */
  publish_date: string | null;
  /** Inferred from `body.public`. */
  public: boolean | null;
  /** Inferred from `body.hidden_on_public_site`. */
  hidden_on_public_site: boolean | null;
  settings: unknown;
  /** Inferred from `body.key`. */
  key: string | null;
  /** Inferred from `body.redirect_url`. */
  redirect_url: string | null;
  /** Inferred from `body.icon_type`. */
  icon_type: string | null;
  /** Inferred from `body.icon_value`. */
  icon_value: string | null;
  /** Inferred from `body.icon_color`. */
  icon_color: number | null;
  path: unknown;
  schema_version: unknown;
  /** Inferred from `body.notification_period_start`. */
  notification_period_start: string | null;
  /** Inferred from `body.notification_period_end`. */
  notification_period_end: string | null;
  /** Inferred from the parameters called `group_id`. */
  group_id: number | string | null;
}

/** Arguments of `documents.retrieveDocument`. */
export interface DocumentsRetrieveDocumentArguments {
  readonly path: {
    readonly document_uid: string;
  };
}

/** Answer of `documents.retrieveDocument`. */
export interface DocumentsRetrieveDocumentAnswer {
  /** Inferred from its name. */
  uid: string;
  /** Inferred from its name. */
  id: number | string;
  /** Inferred from `body.title`. */
  title: string | null;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  archived: unknown;
  /** Inferred from its name. */
  company_id: number | string | null;
  /** Inferred from the parameters called `author_id`. */
  author_id: number | null;
  /** Inferred from its name. */
  parent_entity_uid: string | null;
  entity_type: unknown;
  /** Inferred from `body.sort_order`. */
  sort_order: number | null;
  /** Inferred from `body.access`. */
  access: string | null;
  /** Inferred from the parameters called `for_everyone_access_role_id`. */
  for_everyone_access_role_id: string | null;
  version: unknown;
  /** Inferred from `body.published_version`. */
  published_version: number | string | null;
  /** Inferred from its name: a time. */
  publish_date: string | null;
  /** Inferred from `body.public`. */
  public: boolean | null;
  /** Inferred from `body.hidden_on_public_site`. */
  hidden_on_public_site: boolean | null;
  settings: unknown;
  /** Inferred from `body.key`. */
  key: string | null;
  /** Inferred from `body.redirect_url`. */
  redirect_url: string | null;
  /** Inferred from `body.icon_type`. */
  icon_type: string | null;
  /** Inferred from `body.icon_value`. */
  icon_value: string | null;
  /** Inferred from `body.icon_color`. */
  icon_color: number | null;
  path: unknown;
  schema_version: unknown;
  /** Inferred from `body.notification_period_start`. */
  notification_period_start: string | null;
  /** Inferred from `body.notification_period_end`. */
  notification_period_end: string | null;
  /** Inferred from the parameters called `group_id`. */
  group_id: number | string | null;
  data: unknown;
  access_record: unknown;
}

/** Arguments of `documents.retrieveListOfDocuments`. */
export interface DocumentsRetrieveListOfDocumentsArguments {
  readonly query?: {
    readonly query?: string | undefined;
    readonly offset?: number | undefined;
    readonly limit?: number | undefined;
    readonly version?: number | undefined;
    readonly condition?: number | undefined;
    readonly fields?: string | undefined;
    readonly start_position?: string | undefined;
    readonly include_search_preview?: boolean | undefined;
  } | undefined;
}

/** Entry of the answer of `documents.retrieveListOfDocuments`. */
export interface DocumentsRetrieveListOfDocumentsEntry {
  /** Inferred from its name. */
  uid: string;
  /** Inferred from its name. */
  id: number | string;
  /** Inferred from `body.title`. */
  title: string | null;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  archived: unknown;
  /** Inferred from its name. */
  company_id: number | string | null;
  /** Inferred from the parameters called `author_id`. */
  author_id: number | null;
  /** Inferred from its name. */
  parent_entity_uid: string | null;
  entity_type: unknown;
  /** Inferred from `body.sort_order`. */
  sort_order: number | null;
  /** Inferred from `body.access`. */
  access: string | null;
  /** Inferred from the parameters called `for_everyone_access_role_id`. */
  for_everyone_access_role_id: string | null;
  version: unknown;
  /** Inferred from `body.published_version`. */
  published_version: number | string | null;
  /** Inferred from its name: a time. */
  publish_date: string | null;
  /** Inferred from `body.public`. */
  public: boolean | null;
  /** Inferred from `body.hidden_on_public_site`. */
  hidden_on_public_site: boolean | null;
  settings: unknown;
  /** Inferred from `body.key`. */
  key: string | null;
  /** Inferred from `body.redirect_url`. */
  redirect_url: string | null;
  /** Inferred from `body.icon_type`. */
  icon_type: string | null;
  /** Inferred from `body.icon_value`. */
  icon_value: string | null;
  /** Inferred from `body.icon_color`. */
  icon_color: number | null;
  path: unknown;
  schema_version: unknown;
  /** Inferred from `body.notification_period_start`. */
  notification_period_start: string | null;
  /** Inferred from `body.notification_period_end`. */
  notification_period_end: string | null;
  /** Inferred from the parameters called `group_id`. */
  group_id: number | string | null;
}

/** Answer of `documents.retrieveListOfDocuments`. */
export type DocumentsRetrieveListOfDocumentsAnswer = DocumentsRetrieveListOfDocumentsEntry[];

/** Arguments of `documents.updateDocument`. */
export interface DocumentsUpdateDocumentArguments {
  readonly path: {
    readonly document_uid: string;
  };
  readonly body?: {
    readonly title?: string | undefined;
    readonly sort_order?: number | undefined;
    readonly publish_date?: string | null | undefined;
    readonly data?: object | undefined;
    readonly access?: 'for_everyone' | 'by_invite' | undefined;
    readonly parent_entity_uid?: string | null | undefined;
    readonly for_everyone_access_role_id?: string | undefined;
    readonly public?: boolean | undefined;
    readonly redirect_url?: string | null | undefined;
    readonly hidden_on_public_site?: boolean | undefined;
    readonly settings?: object | undefined;
    readonly backup_version?: number | undefined;
    readonly published_version?: number | null | 'current' | undefined;
    readonly key?: string | null | undefined;
    readonly icon_type?: 'emoji' | 'material_icon' | null | undefined;
    readonly icon_value?: string | null | undefined;
    readonly icon_color?: number | null | undefined;
    readonly notification_period_start?: string | null | undefined;
    readonly notification_period_end?: string | null | undefined;
    readonly slug?: string | null | undefined;
  } | undefined;
}

/** Answer of `documents.updateDocument`. */
export interface DocumentsUpdateDocumentAnswer {
  /** Inferred from its name. */
  uid: string;
  /** Inferred from its name. */
  id: number | string;
  /** Inferred from `body.title`. */
  title: string | null;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  archived: unknown;
  /** Inferred from its name. */
  company_id: number | string | null;
  /** Inferred from the parameters called `author_id`. */
  author_id: number | null;
  /** Inferred from its name. */
  parent_entity_uid: string | null;
  entity_type: unknown;
  /** Inferred from `body.sort_order`. */
  sort_order: number | null;
  /** Inferred from `body.access`. */
  access: string | null;
  /** Inferred from the parameters called `for_everyone_access_role_id`. */
  for_everyone_access_role_id: string | null;
  version: unknown;
  /** Inferred from `body.published_version`. */
  published_version: number | string | null;
  /** Inferred from its name: a time. */
  publish_date: string | null;
  /** Inferred from `body.public`. */
  public: boolean | null;
  /** Inferred from `body.hidden_on_public_site`. */
  hidden_on_public_site: boolean | null;
  settings: unknown;
  /** Inferred from `body.key`. */
  key: string | null;
  /** Inferred from `body.redirect_url`. */
  redirect_url: string | null;
  /** Inferred from `body.icon_type`. */
  icon_type: string | null;
  /** Inferred from `body.icon_value`. */
  icon_value: string | null;
  /** Inferred from `body.icon_color`. */
  icon_color: number | null;
  path: unknown;
  schema_version: unknown;
  /** Inferred from `body.notification_period_start`. */
  notification_period_start: string | null;
  /** Inferred from `body.notification_period_end`. */
  notification_period_end: string | null;
  /** Inferred from the parameters called `group_id`. */
  group_id: number | string | null;
  data: unknown;
  access_record: unknown;
}

/** Operations of `client.documents`. */
export interface DocumentsOperations {
  /**
   * Creates a document, empty or as a copy of another.
   *
   * `POST /documents`
   *
   * Known from the running service only, not from its documents.
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `body`: `sort_order` (required), `title`, `parent_entity_uid`,
   * `for_everyone_access_role_id`, `clone_uid`, `clone_version`, `key`
   */
  readonly createNewDocument: Call<DocumentsCreateNewDocumentArguments, DocumentsCreateNewDocumentAnswer>;

  /**
   * Deletes a document. One that has others below it is known to be refused (400).
   *
   * `DELETE /documents/{document_uid}`
   *
   * Known from the running service only, not from its documents.
   *
   * @param args `path`: `document_uid`
   */
  readonly removeDocument: Call<DocumentsRemoveDocumentArguments, DocumentsRemoveDocumentAnswer | undefined>;

  /**
   * One document. The documents give neither method nor path; these are the ones in use.
   *
   * `GET /documents/{document_uid}`
   *
   * @param args `path`: `document_uid`
   */
  readonly retrieveDocument: Call<DocumentsRetrieveDocumentArguments, DocumentsRetrieveDocumentAnswer>;

  /**
   * Documents without their content. With `version: 2` the answer is `{ result, position }`, and
   * `start_position` goes on from a position.
   *
   * `GET /documents`
   *
   * `client.paginate` reads all of it.
   *
   * @param args `query`: `query`, `offset`, `limit`, `version`, `condition`, `fields`,
   * `start_position`, `include_search_preview`
   */
  readonly retrieveListOfDocuments: PositionedListCall<DocumentsRetrieveListOfDocumentsArguments, DocumentsRetrieveListOfDocumentsEntry>;

  /**
   * Changes, publishes or moves a document.
   *
   * `PATCH /documents/{document_uid}`
   *
   * @param args `path`: `document_uid`; `body`: `title`, `sort_order`, `publish_date`, `data`,
   * `access`, `parent_entity_uid`, `for_everyone_access_role_id`, `public`, `redirect_url`,
   * `hidden_on_public_site`, `settings`, `backup_version`, `published_version`, `key`,
   * `icon_type`, `icon_value`, `icon_color`, `notification_period_start`,
   * `notification_period_end`, `slug`
   */
  readonly updateDocument: Call<DocumentsUpdateDocumentArguments, DocumentsUpdateDocumentAnswer>;
}
