        from = @symbol@_gather(order, wanted, states, from, active, @number@);
