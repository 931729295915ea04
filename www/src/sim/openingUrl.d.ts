// The address of the recorded opening: recording/plugin.mjs makes it.
declare module 'virtual:opening' {
  const url: string | undefined;
  export default url;
}
