/** Thrown if a rule does not compile. It contains the API server's message, and which of the rule's expressions is wrong. */
export class RuleError extends Error {
  override readonly name = 'RuleError';
  readonly part: 'rule' | 'messageExpression';

  constructor(part: 'rule' | 'messageExpression', message: string, options?: ErrorOptions) {
    super(message, options);
    this.part = part;
  }
}
