/** The problem with a server URL and its remedy; undefined for a valid URL. */
export function addressProblem(address: string): string | undefined {
  if (!/^https?:\/\//.test(address)) return 'is neither https nor http: write it as https://host:port';
  const port = /^https?:\/\/(?:[^/?#@]*@)?(?:\[[^\]]*\]|[^:/?#]*):(\d+)(?:[/?#]|$)/.exec(address)?.[1];
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) return `has port ${port}, which is out of range: use 1 to 65535`;
  return URL.canParse(address) ? undefined : 'is not a URL: write it as https://host:port';
}
