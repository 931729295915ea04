import type { Plugin } from 'vite';

/** The schema as the form reads it, with its descriptions as `virtual:schema-words`. */
export function schemaOfTheForm(): Plugin;

/** Puts back into the fields what the copy is sent without, when the page starts. */
export function sentencesOfTheForm(): Plugin;
