// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call } from '../client-types.ts';

/** Arguments of `cardExternalLinks.addExternalLink`. */
export interface CardExternalLinksAddExternalLinkArguments {
  readonly path: {
    readonly card_id: number;
  };
  readonly body: {
    readonly url: string;
    readonly description?: string | null | undefined;
  };
}

/** Answer of `cardExternalLinks.addExternalLink`. */
export interface CardExternalLinksAddExternalLinkAnswer {
  /** Inferred from `body.url`. */
  url: string | null;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from `body.description`. */
  description: string | null;
}

/** Arguments of `cardExternalLinks.removeExternalLink`. */
export interface CardExternalLinksRemoveExternalLinkArguments {
  readonly path: {
    readonly card_id: number;
    readonly id: number;
  };
}

/** Answer of `cardExternalLinks.removeExternalLink`. */
export interface CardExternalLinksRemoveExternalLinkAnswer {
  /** Inferred from `path.id`. */
  id: number;
}

/** Arguments of `cardExternalLinks.retrieveCardExternalLinks`. */
export interface CardExternalLinksRetrieveCardExternalLinksArguments {
  readonly path: {
    readonly card_id: number;
  };
}

/** Entry of the answer of `cardExternalLinks.retrieveCardExternalLinks`. */
export interface CardExternalLinksRetrieveCardExternalLinksEntry {
  /** Inferred from `body.url`. */
  url: string | null;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from `body.description`. */
  description: string | null;
  /** Inferred from the parameters called `card_id`. */
  card_id: number;
  /** Inferred from its name. */
  external_link_id: number | string | null;
}

/** Answer of `cardExternalLinks.retrieveCardExternalLinks`. */
export type CardExternalLinksRetrieveCardExternalLinksAnswer = CardExternalLinksRetrieveCardExternalLinksEntry[];

/** Arguments of `cardExternalLinks.updateExternalLink`. */
export interface CardExternalLinksUpdateExternalLinkArguments {
  readonly path: {
    readonly card_id: number;
    readonly id: number;
  };
  readonly body?: {
    readonly url?: string | undefined;
    readonly description?: string | null | undefined;
  } | undefined;
}

/** Answer of `cardExternalLinks.updateExternalLink`. */
export interface CardExternalLinksUpdateExternalLinkAnswer {
  /** Inferred from `body.url`. */
  url: string | null;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from `body.description`. */
  description: string | null;
}

/** Operations of `client.cardExternalLinks`. */
export interface CardExternalLinksOperations {
  /**
   * Adds a link.
   *
   * `POST /cards/{card_id}/external-links`
   *
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `path`: `card_id`; `body`: `url` (required), `description`
   */
  readonly addExternalLink: Call<CardExternalLinksAddExternalLinkArguments, CardExternalLinksAddExternalLinkAnswer>;

  /**
   * Removes a link.
   *
   * `DELETE /cards/{card_id}/external-links/{id}`
   *
   * @param args `path`: `card_id`, `id`
   */
  readonly removeExternalLink: Call<CardExternalLinksRemoveExternalLinkArguments, CardExternalLinksRemoveExternalLinkAnswer | undefined>;

  /**
   * The links of a card, in one answer.
   *
   * `GET /cards/{card_id}/external-links`
   *
   * @param args `path`: `card_id`
   */
  readonly retrieveCardExternalLinks: Call<CardExternalLinksRetrieveCardExternalLinksArguments, CardExternalLinksRetrieveCardExternalLinksAnswer>;

  /**
   * Changes a link.
   *
   * `PATCH /cards/{card_id}/external-links/{id}`
   *
   * @param args `path`: `card_id`, `id`; `body`: `url`, `description`
   */
  readonly updateExternalLink: Call<CardExternalLinksUpdateExternalLinkArguments, CardExternalLinksUpdateExternalLinkAnswer>;
}
