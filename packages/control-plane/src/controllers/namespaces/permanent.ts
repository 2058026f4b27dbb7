/** There from the start, and never deleted. */
export const PERMANENT_NAMESPACES: readonly string[] = ['default', 'kube-system', 'kube-public'];

/** What every cluster has. */
export const FIRST_NAMESPACES: readonly string[] = [...PERMANENT_NAMESPACES, 'kube-node-lease'];
