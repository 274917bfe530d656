// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { FileInput } from '../../upstream/operations/file-input.ts';
import type { Call } from '../client-types.ts';

/** Arguments of `cardComments.addComment`. */
export interface CardCommentsAddCommentArguments {
  readonly path: {
    readonly card_id: number;
  };
  readonly body: {
    readonly text: string;
    /** @deprecated The service flags it so. */
    readonly 'files[]'?: readonly FileInput[] | undefined;
  } | FormData;
}

/** Answer of `cardComments.addComment`. */
export interface CardCommentsAddCommentAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `path.comment_id`. */
  id: number;
  /** Inferred from its name. */
  uid: string;
  /** Inferred from `body.text`. */
  text: string | null;
  type: unknown;
  edited: unknown;
  /** Inferred from the parameters called `card_id`. */
  card_id: number;
  /** Inferred from the parameters called `author_id`. */
  author_id: number | null;
  email_addresses_to: unknown;
  deleted: unknown;
  internal: unknown;
  sd_external_recipients_cc: unknown;
  sd_description: unknown;
  notification_sent: unknown;
  attacments: unknown;
}

/** Arguments of `cardComments.removeComment`. */
export interface CardCommentsRemoveCommentArguments {
  readonly path: {
    readonly card_id: number;
    readonly comment_id: number;
  };
}

/** Answer of `cardComments.removeComment`. */
export interface CardCommentsRemoveCommentAnswer {
  /** Inferred from `path.comment_id`. */
  id: number;
}

/** Arguments of `cardComments.retrieveCardComments`. */
export interface CardCommentsRetrieveCardCommentsArguments {
  readonly path: {
    readonly card_id: number;
  };
}

/** Entry of the answer of `cardComments.retrieveCardComments`. */
export interface CardCommentsRetrieveCardCommentsEntry {
  /** Inferred from its name: a time. */
  created: string;
  update: unknown;
  /** Inferred from `path.comment_id`. */
  id: number;
  /** Inferred from its name. */
  uid: string;
  /** Inferred from `body.text`. */
  text: string | null;
  edited: unknown;
  /** Inferred from the parameters called `card_id`. */
  card_id: number;
  /** Inferred from the parameters called `author_id`. */
  author_id: number | null;
  email_addresses_to: unknown;
  type: unknown;
  deleted: unknown;
  internal: unknown;
  sd_external_recipients_cc: unknown;
  notification_sent: unknown;
  sent_slack_messages_data: unknown;
  sd_description: unknown;
  author: unknown;
}

/** Answer of `cardComments.retrieveCardComments`. */
export type CardCommentsRetrieveCardCommentsAnswer = CardCommentsRetrieveCardCommentsEntry[];

/** Arguments of `cardComments.updateComment`. */
export interface CardCommentsUpdateCommentArguments {
  readonly path: {
    readonly card_id: number;
    readonly comment_id: number;
  };
  readonly body?: {
    readonly text?: string | undefined;
    /** @deprecated The service flags it so. */
    readonly 'files[]'?: readonly FileInput[] | undefined;
  } | FormData | undefined;
}

/** Answer of `cardComments.updateComment`. */
export interface CardCommentsUpdateCommentAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `path.comment_id`. */
  id: number;
  /** Inferred from its name. */
  uid: string;
  /** Inferred from `body.text`. */
  text: string | null;
  type: unknown;
  edited: unknown;
  /** Inferred from the parameters called `card_id`. */
  card_id: number;
  /** Inferred from the parameters called `author_id`. */
  author_id: number | null;
  email_addresses_to: unknown;
  deleted: unknown;
  internal: unknown;
  sd_external_recipients_cc: unknown;
  sd_description: unknown;
  notification_sent: unknown;
  attacments: unknown;
}

/** Operations of `client.cardComments`. */
export interface CardCommentsOperations {
  /**
   * Writes a comment.
   *
   * `POST /cards/{card_id}/comments`
   *
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `path`: `card_id`; `body`: `text` (required), `files[]`
   */
  readonly addComment: Call<CardCommentsAddCommentArguments, CardCommentsAddCommentAnswer>;

  /**
   * Removes a comment.
   *
   * `DELETE /cards/{card_id}/comments/{comment_id}`
   *
   * @param args `path`: `card_id`, `comment_id`
   */
  readonly removeComment: Call<CardCommentsRemoveCommentArguments, CardCommentsRemoveCommentAnswer | undefined>;

  /**
   * The comments of a card, in one answer.
   *
   * `GET /cards/{card_id}/comments`
   *
   * @param args `path`: `card_id`
   */
  readonly retrieveCardComments: Call<CardCommentsRetrieveCardCommentsArguments, CardCommentsRetrieveCardCommentsAnswer>;

  /**
   * Changes the text of a comment. Unsafe to repeat: files would be attached again.
   *
   * `PATCH /cards/{card_id}/comments/{comment_id}`
   *
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `path`: `card_id`, `comment_id`; `body`: `text`, `files[]`
   */
  readonly updateComment: Call<CardCommentsUpdateCommentArguments, CardCommentsUpdateCommentAnswer>;
}
