// The descriptions of the schema, by their numbers in the page's copy of it: form/plugin.mjs makes both.
declare module 'virtual:schema-words' {
  const words: readonly string[];
  export default words;
}
