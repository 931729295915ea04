// The addresses of the painters' threads: vite.config.ts makes the modules.
declare module 'virtual:painter' {
  const url: string;
  export default url;
}
declare module 'virtual:closeup-painter' {
  const url: string;
  export default url;
}
