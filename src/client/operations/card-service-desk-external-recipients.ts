// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call } from '../client-types.ts';

/** Arguments of `cardServiceDeskExternalRecipients.addNewRecipient`. */
export interface CardServiceDeskExternalRecipientsAddNewRecipientArguments {
  readonly path: {
    readonly card_id: number;
  };
  readonly body: {
    readonly email: string;
  };
}

/** Answer of `cardServiceDeskExternalRecipients.addNewRecipient`. */
export interface CardServiceDeskExternalRecipientsAddNewRecipientAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from the parameters called `card_id`. */
  card_id: number;
  /** Inferred from the parameters called `user_id`. */
  user_id: number | null;
  /** Inferred from `body.email`. */
  email: string | null;
  unsubscribed: unknown;
  /** Inferred from its name. */
  updater_id: number | string | null;
}

/** Arguments of `cardServiceDeskExternalRecipients.removeRecipient`. */
export interface CardServiceDeskExternalRecipientsRemoveRecipientArguments {
  readonly path: {
    readonly card_id: number;
    readonly email: string;
  };
}

/** Answer of `cardServiceDeskExternalRecipients.removeRecipient`. */
export interface CardServiceDeskExternalRecipientsRemoveRecipientAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from the parameters called `card_id`. */
  card_id: number;
  /** Inferred from the parameters called `user_id`. */
  user_id: number | null;
  /** Inferred from `body.email`. */
  email: string | null;
  unsubscribed: unknown;
  /** Inferred from its name. */
  updater_id: number | string | null;
  /** Inferred from its name. */
  company_id: number | string | null;
}

/** Operations of `client.cardServiceDeskExternalRecipients`. */
export interface CardServiceDeskExternalRecipientsOperations {
  /**
   * Adds an address.
   *
   * `POST /cards/{card_id}/sd-external-recipients`
   *
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `path`: `card_id`; `body`: `email` (required)
   */
  readonly addNewRecipient: Call<CardServiceDeskExternalRecipientsAddNewRecipientArguments, CardServiceDeskExternalRecipientsAddNewRecipientAnswer>;

  /**
   * Removes an address.
   *
   * `DELETE /cards/{card_id}/sd-external-recipients/{email}`
   *
   * @param args `path`: `card_id`, `email`
   */
  readonly removeRecipient: Call<CardServiceDeskExternalRecipientsRemoveRecipientArguments, CardServiceDeskExternalRecipientsRemoveRecipientAnswer | undefined>;
}
